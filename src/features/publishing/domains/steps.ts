/**
 * The life of a domain, one step at a time. A step reads the stored state, does one thing at DNS or at the certificate
 * authority, and stores the next state. The process keeps no state of its own: if it is killed at any moment, another
 * one takes the same step. The first line that applies is the next step.
 *
 * applies                              step                                    then           wait (back-off.ts)
 * -----------------------------------  --------------------------------------  -------------  --------------------------
 * the project was deleted              forget it                               -              -
 * Verify was chosen, or a check is     check DNS; if it is right, the project  certificate,   dnsCheck, for 48 hours
 * due before the project holds it      holds the name                          watch
 * the claim is for a watch             check the DNS of the held name again    watch          4 to 6 hours, or dnsWatch
 * no authority, or it is not served    reseal its keys only                    -              an hour
 * no issuance is under way             start an attempt: check CAA, create     keyed          until the renewal, or
 *                                      the key, or plan the renewal                           attempt
 * keyed: key and request exist,        open an order at the authority          ordered        request
 * sealed
 * ordered: the order's URL is known    ask for the validation of its           answering      request, or validation
 *                                      challenges
 * answering: the authority knows of    check if the order is validated, or     finalizing,    request, or poll
 * every challenge                      can be validated again                  or ordered
 * finalizing: from here on the         send the request if the order is        a certificate  request, or poll
 * authority may have issued            ready, fetch the chain
 *
 * Every step of an order begins by reading the order, so it sees what a killed process already did and does not repeat
 * it. If the authority cannot take a step now, the step stays and is repeated. If it does not know the order or its
 * account, the issuance returns to keyed, with the same key. Any other rejection ends the attempt, and so does an invalid
 * order. Two processes should not take the same step at the same time: nothing breaks, but an authority that is polled
 * twice too quickly may issue two certificates.
 */
import { HOUR_MS, MINUTE_MS } from '../../../lib/clock.js';
import { domainsEndAt, type Project } from '../../projects/project.js';
import type { ProjectsStore } from '../../projects/projects-store.js';
import { AcmeError } from '../certificates/acme-failure.js';
import { resealIssuance, resealPrivateKey } from '../certificates/issuance.js';
import { SealError, type KeyRing } from '../certificates/key-ring.js';
import {
  afterFailure,
  answerChallenges,
  awaitValidation,
  finalize,
  isForTests,
  openOrder,
  startOrPlan,
  type CertificateParts,
  type StepResult,
} from './certificate-steps.js';
import { checkDns, isCheckDue, passed, watchDns, type DnsParts, type DnsWork } from './dns-steps.js';
import type { CertificateTrack, Domain, StoredCertificate } from './domain.js';
import type { CertificateBudget, Claim, DomainProgress, DomainsStore } from './domains-store.js';
import { isPlatformCaa, problemOf, siteProblemOf, type Fault } from './problem.js';
import type { RoutedProjects } from './stop-routing-to.js';

export interface StepParts extends DnsParts {
  domains: DomainsStore;
  projects: Pick<ProjectsStore, 'get'> & RoutedProjects;
  /** Undefined without a certificate authority: domains are verified, and served over HTTP only. */
  authority: CertificateParts | undefined;
  /** The certificate budget of platform hosts; undefined if they have no certificates of their own. */
  siteBudget: CertificateBudget | undefined;
  /** Undefined without KEY_ENCRYPTION_KEYS. */
  keyRing: KeyRing | undefined;
  /** How long domains keep working after the project's plan stops including them, in milliseconds. */
  graceMs: number;
  /** Called after each stored step. */
  onStep: (before: Domain, after: DomainProgress) => void;
  /**
   * Called when the key ring cannot open an issuance: this gateway's key ring differs from the one that sealed it.
   */
  onSealed: (domain: Domain, error: SealError) => void;
}

/** Another claim took over the domain, or the domain was removed. This step must not write. */
class ClaimLost extends Error {}

type Work = DnsWork<StepParts>;

/** How long to wait before the next step of a domain that needs no certificate now. */
const REST_MS = HOUR_MS;
/** The same for a site without a place in the budget: a place can be refunded, or the operator can raise the limit. */
const BUDGET_MS = HOUR_MS;
/** How long to wait when the key ring cannot open an issuance. Another gateway may be able to. */
const SEALED_MS = MINUTE_MS;

/** Takes the next step of a claimed domain. */
export async function takeStep(claim: Claim, parts: StepParts): Promise<void> {
  const { domain, isWatch } = claim;
  const save = (after: Domain) => saveStep(claim, after, parts);
  try {
    const project = await parts.projects.get(domain.projectId);
    const work = project && { domain, project, parts, save };
    if (work === undefined) await save(forgotten(domain));
    else if (isCheckDue(domain, parts.clock())) await checkDns(work);
    else if (isWatch) await watchDns(work);
    else await advanceCertificate(work);
  } catch (error) {
    if (!(error instanceof ClaimLost)) throw error;
  }
}

function forgotten(domain: Domain): Domain {
  return {
    ...domain,
    dns: { ...domain.dns, retryAt: undefined },
    certificate: { ...domain.certificate, nextAt: undefined },
    watchAt: undefined,
  };
}

/** Reseals the private keys with the current encryption key before the step, whatever comes of it. */
async function advanceCertificate({ domain: stored, project, parts, save }: Work): Promise<void> {
  const { keyRing, clock, onSealed, onPlatformCaa } = parts;
  try {
    const certificate = keyRing ? resealed(stored.certificate, keyRing) : stored.certificate;
    const domain = { ...stored, certificate };
    const outcome = await takeCertificateStep(domain, project, parts);
    if (outcome.fault !== undefined && isPlatformCaa(outcome.fault)) onPlatformCaa(outcome.fault);
    const isRenewed = outcome.certificate.current?.id !== stored.certificate.current?.id;
    await save({
      ...domain,
      ...(isRenewed && permitted(domain)),
      certificate: withProblem(domain, outcome, clock()),
    });
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    // Keeps the issuance: a gateway with a complete key ring can still open it.
    onSealed(stored, error);
    const nextAt = new Date(clock() + SEALED_MS);
    const fault = { code: 'ca_unavailable', name: stored.name, isSealed: true } as const;
    const problem = problemOf(fault, new Date(clock()), nextAt);
    await save({ ...stored, certificate: { ...stored.certificate, nextAt, problem } });
  }
}

function withProblem(
  { isPlatform }: Domain,
  { certificate, fault, isRest }: StepResult,
  nowMs: number,
): CertificateTrack {
  if (isRest === true) return certificate;
  const describe = isPlatform ? siteProblemOf : problemOf;
  return { ...certificate, problem: fault && describe(fault, new Date(nowMs), certificate.nextAt) };
}

/** A new certificate shows that CAA records do not block the authority any more. */
function permitted({ dns }: Domain): Partial<Domain> {
  return dns.problem?.code === 'caa_blocks' ? { dns: passed(dns) } : {};
}

/** @throws SealError if the key ring cannot open the issuance */
async function takeCertificateStep(domain: Domain, project: Project, parts: StepParts): Promise<StepResult> {
  const { authority, siteBudget, clock } = parts;
  const { certificate, holds, isPlatform } = domain;
  if (authority === undefined || !isServed(domain, project, parts)) {
    const nextAt = holds ? new Date(clock() + REST_MS) : undefined;
    return { certificate: { ...certificate, nextAt }, fault: undefined, isRest: true };
  }
  if (siteBudget === undefined || !isPlatform) return takeAuthorityStep(domain, authority);
  const outcome = await withinBudget(domain, siteBudget, authority);
  // The records at the names above a platform host are the operator's too.
  return { ...outcome, fault: outcome.fault && ofOperator(outcome.fault) };
}

function ofOperator(fault: Fault): Fault {
  return fault.code === 'caa_blocks' ? { ...fault, isPlatforms: true } : fault;
}

/** Whether the host needs a certificate. The gateway requests none for a host that is not served. */
function isServed(domain: Domain, project: Project, parts: StepParts): boolean {
  const { siteBudget, platformHost, graceMs, clock } = parts;
  if (domain.isPlatform) {
    // PLATFORM_HOST may have had another value when the record was created.
    const isCertified = siteBudget !== undefined && domain.registrable === platformHost;
    return isCertified && project.liveDeployId !== undefined;
  }
  const endAt = domainsEndAt(project, graceMs);
  return domain.holds && (endAt === undefined || clock() < endAt.getTime());
}

async function takeAuthorityStep(domain: Domain, authority: CertificateParts): Promise<StepResult> {
  const { certificate } = domain;
  const { issuance } = certificate;
  if (issuance === undefined) return startOrPlan(domain, authority);
  const work = { certificate, parts: authority };
  try {
    switch (issuance.state) {
      case 'keyed':
        return await openOrder({ ...work, issuance });
      case 'ordered':
        return await answerChallenges({ ...work, issuance });
      case 'answering':
        return await awaitValidation({ ...work, issuance });
      case 'finalizing':
        return await finalize({ ...work, issuance });
    }
  } catch (error) {
    if (!(error instanceof AcmeError)) throw error;
    return afterFailure({ ...work, issuance }, error);
  }
}

/**
 * Takes the step of a platform host if the budget has a place. All platform hosts belong to one registered domain, for
 * which an authority limits new certificates per week. Renewals do not count, except in place of a staging certificate.
 */
async function withinBudget(
  domain: Domain,
  budget: CertificateBudget,
  authority: CertificateParts,
): Promise<StepResult> {
  const { id, name, certificate } = domain;
  const { current: earlier } = certificate;
  if (earlier !== undefined && !isForTests(earlier, authority)) return takeAuthorityStep(domain, authority);
  const { perWeek } = budget;
  const now = new Date(authority.clock());
  const freeAt = await budget.take(id, now);
  if (freeAt !== undefined) {
    const nextAt = new Date(Math.min(freeAt.getTime(), now.getTime() + BUDGET_MS));
    return { certificate: { ...certificate, nextAt }, fault: { code: 'ca_rate_limited', name, perWeek } };
  }
  const outcome = await takeAuthorityStep(domain, authority);
  const { issuance, current } = outcome.certificate;
  // After finalization the authority may have issued a certificate, whatever the result, so the place stays taken.
  const mayBeIssued = certificate.issuance?.state === 'finalizing';
  if (issuance === undefined && current?.id === earlier?.id && !mayBeIssued) await budget.refund(id, now);
  return outcome;
}

/**
 * Reseals the certificate's keys with the current encryption key. A certificate that the key ring cannot open stays as
 * it is: its renewal gets a new private key.
 * @throws SealError if the key ring cannot open the issuance
 */
function resealed(certificate: CertificateTrack, keyRing: KeyRing): CertificateTrack {
  const { current, issuance } = certificate;
  return {
    ...certificate,
    current: current && resealedIfOpened(current, keyRing),
    issuance: issuance && resealIssuance(issuance, keyRing),
  };
}

function resealedIfOpened(current: StoredCertificate, keyRing: KeyRing): StoredCertificate {
  try {
    return resealPrivateKey(current, keyRing);
  } catch (error) {
    if (error instanceof SealError) return current;
    throw error;
  }
}

/**
 * Stores the step. The problem shown is the DNS problem if there is one, otherwise the certificate problem.
 * @throws ClaimLost
 */
async function saveStep(
  claim: Claim,
  { dns, certificate, holds, ownershipRequired, watchAt }: Domain,
  { domains, onStep }: StepParts,
): Promise<void> {
  const nextRunAt = earliest(dns.retryAt, certificate.nextAt);
  const problem = dns.problem ?? certificate.problem;
  const progress = { dns, certificate, holds, ownershipRequired, problem, nextRunAt, watchAt };
  if (!(await domains.save(claim, progress))) throw new ClaimLost();
  onStep(claim.domain, progress);
}

function earliest(...times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : new Date(Math.min(...known.map((time) => time.getTime())));
}
