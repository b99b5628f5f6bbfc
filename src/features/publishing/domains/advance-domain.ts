import { isStagingDirectory } from '../../../lib/lets-encrypt.js';
import { SealError } from '../certificates/key-ring.js';
import type { AuditRecord } from '../../audit/audit-record.js';
import type { AuditStore } from '../../audit/audit-store.js';
import { domainsEndAt, type Project } from '../../projects/project.js';
import type { ProjectsStore } from '../../projects/projects-store.js';
import { arrowOf, routingStateOf } from '../../projects/routing-state.js';
import type { KeyRing } from '../certificates/key-ring.js';
import { certify, resealCertificate, type CertifyParts } from './certify.js';
import { certifySite } from './certify-site.js';
import { ownershipRecord } from './dns/check-ownership.js';
import type { LeadsBy } from './dns/check-routing.js';
import { PASSED } from './dns/check.js';
import type { CertificateTrack, DnsTrack, Domain } from './domain.js';
import {
  NameHeld,
  type CertificateBudget,
  type Claim,
  type DomainProgress,
  type DomainsStore,
} from './domains-store.js';
import { pendingSince } from './domains-service.js';
import { dnsRetryAt, lookAtDns } from './look-at-dns.js';
import {
  isPlatformCaa,
  lastProblemOf,
  problemOf,
  siteProblemOf,
  type Fault,
  type Problem,
} from './problem.js';
import { stopRoutingTo, type RoutedProjects, type StoppedRouting } from './stop-routing-to.js';
import {
  checkHeld,
  checkRenewal,
  failedWatch,
  passedWatch,
  watchAfter,
  type WatchParts,
} from './watch-dns.js';

export interface AdvanceParts extends WatchParts {
  domains: DomainsStore;
  projects: Pick<ProjectsStore, 'get'> & RoutedProjects;
  audit: Pick<AuditStore, 'add'>;
  /** Undefined without a certificate authority: domains are verified, and served over HTTP only. */
  authority: CertifyParts | undefined;
  /** The certificate budget of platform hosts; undefined if they have no certificates of their own. */
  siteBudget: CertificateBudget | undefined;
  /** Undefined without KEY_ENCRYPTION_KEYS. */
  keyRing: KeyRing | undefined;
  /** How long domains keep working after the project's plan stops including them, in milliseconds. */
  graceMs: number;
  newToken: () => string;
  /** Runs all or nothing, possibly more than once. */
  transact: <T>(run: () => Promise<T>) => Promise<T>;
  /** Called after each stored step. */
  onStep: (before: Domain, after: DomainProgress) => void;
  /**
   * Called when the key ring cannot open an issuance: this gateway's key ring differs from the one that sealed it.
   */
  onSealed: (domain: Domain, error: SealError) => void;
}

/** Another claim took over the domain, or the domain was removed. This step must not write. */
class ClaimLost extends Error {}

/** How long to wait before the next look at a domain that needs no certificate now. */
const RECHECK_MS = 60 * 60 * 1000;
/** How long to wait when the key ring cannot open an issuance. Another gateway may be able to. */
const SEALED_RETRY_MS = 60 * 1000;

/**
 * Takes one step of a domain, from its stored state to the next stored state. The process keeps no state of its own:
 *
 *   Verify → check DNS → the project holds the name → certificate, step by step → renewals, indefinitely
 *                ↑ again, at growing intervals, for 48 hours
 *
 * The DNS records of a held domain are checked again every few hours. Such a check never ends the holding: the domain
 * stays served.
 */
export async function advanceDomain(claim: Claim, parts: AdvanceParts): Promise<void> {
  const { domain } = claim;
  try {
    const project = await parts.projects.get(domain.projectId);
    if (project === undefined) await save(claim, forgotten(domain), parts);
    else if (isLookDue(domain, parts.clock())) await look(claim, project, parts);
    else if (claim.isWatch) await watch(claim, project, parts);
    else await goOnWithCertificate(claim, project, parts);
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

function isLookDue({ dns: { requestedAt, answeredAt, retryAt } }: Domain, nowMs: number): boolean {
  const isUnanswered = requestedAt !== undefined && requestedAt.getTime() !== answeredAt?.getTime();
  return isUnanswered || (retryAt !== undefined && retryAt.getTime() <= nowMs);
}

async function look(claim: Claim, project: Project, parts: AdvanceParts): Promise<void> {
  const { domain } = claim;
  const { fault, ownershipRequired, leadsBy } = await lookAtDns(domain, project, parts);
  const renewal = fault === undefined ? await checkRenewal(domain, parts) : PASSED;
  const found = renewal.passed ? fault : renewal.fault;
  if (found !== undefined) {
    await lookFailed(claim, found, ownershipRequired, parts);
    return;
  }
  const now = new Date(parts.clock());
  const { requestedAt, verifiedAt = now } = domain.dns;
  const dns: DnsTrack = { state: 'verified', requestedAt, answeredAt: requestedAt, verifiedAt, failures: 0 };
  const verified = {
    ...domain,
    dns,
    ownershipRequired,
    holds: true,
    certificate: withAttemptNow(domain, now),
    watchAt: watchAfter(0, now.getTime(), parts.random),
  };
  try {
    await parts.transact(() => hold(claim, verified, leadsBy, parts));
  } catch (error) {
    if (!(error instanceof NameHeld)) throw error;
    // Another project verified or added the name, or a name below the apex, after the DNS check: a TXT record is
    // required.
    await lookFailed(claim, ownershipRequiredOf(domain), true, parts);
  }
}

/**
 * Gives the domain its name: takes the name from another project that holds it, records the new holder and the time,
 * and stops the other project's redirects. Runs in one transaction, including the audit records.
 */
async function hold(claim: Claim, verified: Domain, leadsBy: LeadsBy, parts: AdvanceParts): Promise<void> {
  const { domains, newToken, clock } = parts;
  const now = new Date(clock());
  const isNew = !claim.domain.holds;
  const isProved = !isNew || verified.ownershipRequired;
  if (!isProved && (await domains.isClaimedElsewhere(verified, leadsBy, pendingSince(now.getTime()))))
    throw new NameHeld();
  let stopped: StoppedRouting;
  const lost = verified.ownershipRequired
    ? await domains.takeOver(verified, newToken(), async (loser) => {
        stopped = await stopRoutingTo(loser, parts.projects);
        const redirects = (stopped?.ended ?? []).map(arrowOf);
        return problemOf({ ...ownershipRequiredOf(loser), lost: { name: loser.name, redirects } }, now);
      })
    : undefined;
  await domains.recordHolding(verified, now);
  await save(claim, verified, parts);
  if (!isNew) return;
  const record = (action: 'domain.verified' | 'domain.lost', { projectId }: Domain, states: States) =>
    parts.audit.add({ at: now, actor: GATEWAY, action, target: { projectId }, ...states });
  const { name } = verified;
  await record('domain.verified', verified, { before: undefined, after: { name } });
  if (lost === undefined) return;
  await record('domain.lost', lost, {
    before: { domain: name, ...(stopped && routingStateOf(stopped.before)) },
    after: { domain: null, ...(stopped && routingStateOf(stopped.after)) },
  });
}

/** The actor of changes that no caller asked for: the gateway found the reason in the DNS. */
const GATEWAY = { role: 'gateway' } as const;
type States = Pick<AuditRecord, 'before' | 'after'>;

function ownershipRequiredOf({ name, ownershipToken }: Domain) {
  const { name: recordName, value: expected } = ownershipRecord(name, ownershipToken);
  return { code: 'ownership_txt_required', recordName, expected } as const;
}

/**
 * Re-verify starts an attempt at once, or the next step of a waiting attempt, except while the authority's rate limit
 * requires waiting. The limit on failed validations is the authority's as well (certify.ts).
 */
function withAttemptNow({ certificate }: Domain, now: Date): CertificateTrack {
  const { issuance, current, failures } = certificate;
  const waitsForAuthority = issuance?.lastFailure?.kind === 'rate_limited';
  const isForTests = current !== undefined && isStagingDirectory(current.directoryUrl);
  const isWanted = issuance !== undefined || current === undefined || failures > 0 || isForTests;
  return isWanted && !waitsForAuthority ? { ...certificate, nextAt: now } : certificate;
}

async function lookFailed(
  claim: Claim,
  fault: Fault,
  ownershipRequired: boolean,
  parts: AdvanceParts,
): Promise<void> {
  const { domain } = claim;
  if (domain.holds) {
    await save(claim, { ...domain, ...failedWatch(domain, fault, true, parts), ownershipRequired }, parts);
    return;
  }
  const now = new Date(parts.clock());
  const retryAt = dnsRetryAt(domain.dns, now.getTime());
  const dns: DnsTrack = {
    ...domain.dns,
    state: 'failed',
    answeredAt: domain.dns.requestedAt,
    failures: domain.dns.failures + 1,
    retryAt,
    problem: retryAt === undefined ? lastProblemOf(fault, now) : problemOf(fault, now, retryAt),
  };
  await save(claim, { ...domain, dns, ownershipRequired }, parts);
}

/** Checks the DNS records of a held domain again. Once they are right again, a failed renewal is retried at once. */
async function watch(claim: Claim, project: Project, parts: AdvanceParts): Promise<void> {
  const { domain } = claim;
  const result = await checkHeld(domain, project, parts);
  if (!result.passed) {
    await save(claim, { ...domain, ...failedWatch(domain, result.fault, false, parts) }, parts);
    return;
  }
  const nowMs = parts.clock();
  const isRecovered = domain.dns.state === 'failed';
  const certificate = isRecovered ? withAttemptNow(domain, new Date(nowMs)) : domain.certificate;
  const watchAt = watchAfter(0, nowMs, parts.random);
  await save(claim, { ...domain, dns: passedWatch(domain.dns), certificate, watchAt }, parts);
}

async function goOnWithCertificate(claim: Claim, project: Project, parts: AdvanceParts): Promise<void> {
  const { domain } = claim;
  const { clock, onSealed } = parts;
  try {
    const certificate = await nextCertificate(domain, project, parts);
    const isRenewed = certificate.current?.id !== domain.certificate.current?.id;
    await save(claim, { ...domain, ...(isRenewed && permitted(domain)), certificate }, parts);
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    // Keeps the issuance: a gateway with a complete key ring can still open it.
    onSealed(domain, error);
    const nextAt = new Date(clock() + SEALED_RETRY_MS);
    const problem = problemOf(
      { code: 'ca_unavailable', name: domain.name, isSealed: true },
      new Date(clock()),
      nextAt,
    );
    await save(claim, { ...domain, certificate: { ...domain.certificate, nextAt, problem } }, parts);
  }
}

/** A new certificate shows that CAA records do not block the authority any more. */
function permitted({ dns }: Domain): Partial<Domain> {
  return dns.problem?.code === 'caa_blocks' ? { dns: passedWatch(dns) } : {};
}

/**
 * Takes the next step towards a certificate. Before that it reseals the private keys with the current encryption key,
 * whatever comes of the step.
 * @throws SealError if the key ring cannot open the issuance
 */
async function nextCertificate(
  stored: Domain,
  project: Project,
  parts: AdvanceParts,
): Promise<CertificateTrack> {
  const { authority, siteBudget, keyRing, clock } = parts;
  const domain =
    keyRing === undefined
      ? stored
      : { ...stored, certificate: resealCertificate(stored.certificate, keyRing) };
  if (authority === undefined || !isServed(domain, project, parts)) {
    const later = new Date(clock() + RECHECK_MS);
    return { ...domain.certificate, nextAt: domain.holds ? later : undefined };
  }
  const { certificate, fault: found } =
    siteBudget !== undefined && domain.isPlatform
      ? await certifySite(domain, siteBudget, authority)
      : await certify(domain, authority);
  // The records at the names above a platform host are the operator's too.
  const fault = found?.code === 'caa_blocks' && domain.isPlatform ? { ...found, isPlatforms: true } : found;
  if (fault !== undefined && isPlatformCaa(fault)) parts.onPlatformCaa(fault);
  const describe = domain.isPlatform ? siteProblemOf : problemOf;
  return { ...certificate, problem: fault && describe(fault, new Date(clock()), certificate.nextAt) };
}

/** Whether the host needs a certificate. The gateway requests none for a host that is not served. */
function isServed(domain: Domain, project: Project, parts: AdvanceParts): boolean {
  const { siteBudget, platformHost, graceMs, clock } = parts;
  if (domain.isPlatform) {
    // PLATFORM_HOST may have had another value when the record was created.
    const isCertified = siteBudget !== undefined && domain.registrable === platformHost;
    return isCertified && project.liveDeployId !== undefined;
  }
  const endAt = domainsEndAt(project, graceMs);
  return domain.holds && (endAt === undefined || clock() < endAt.getTime());
}

/**
 * Stores the step. The problem shown is the DNS problem if there is one, otherwise the certificate problem.
 * @throws ClaimLost
 */
async function save(
  claim: Claim,
  { dns, certificate, holds, ownershipRequired, watchAt }: Domain,
  { domains, onStep }: AdvanceParts,
): Promise<void> {
  const nextRunAt = earliest(dns.retryAt, certificate.nextAt);
  const problem: Problem | undefined = dns.problem ?? certificate.problem;
  const progress = { dns, certificate, holds, ownershipRequired, problem, nextRunAt, watchAt };
  if (!(await domains.save(claim, progress))) throw new ClaimLost();
  onStep(claim.domain, progress);
}

function earliest(...times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : new Date(Math.min(...known.map((time) => time.getTime())));
}
