import { SealError } from '../certificates/key-ring.js';
import type { AuditStore } from '../../audit/audit-store.js';
import { domainsEndAt, type Project } from '../../projects/project.js';
import type { ProjectsStore } from '../../projects/projects-store.js';
import type { KeyRing } from '../certificates/key-ring.js';
import { certify, resealCertificate, type CertifyParts } from './certify.js';
import { certifySite } from './certify-site.js';
import { ownershipRecord } from './dns/ownership-record.js';
import type { CertificateTrack, DnsTrack, Domain } from './domain.js';
import {
  NameHeld,
  type CertificateBudget,
  type Claim,
  type DomainProgress,
  type DomainsStore,
} from './domains-store.js';
import { pendingSince } from './domains-service.js';
import { dnsRetryAt, lookAtDns, type LookParts } from './look-at-dns.js';
import { problemOf, type Fault, type Problem } from './problem.js';
import { siteProblemOf } from './site-problem.js';
import { stopRoutingTo, type RoutedProjects } from './stop-routing-to.js';

export interface AdvanceParts extends LookParts {
  domains: DomainsStore;
  projects: Pick<ProjectsStore, 'get'> & RoutedProjects;
  audit: Pick<AuditStore, 'add'>;
  /** Undefined without a certificate authority: domains are verified, and served over HTTP alone. */
  authority: CertifyParts | undefined;
  /** For the hosts of the platform; undefined where they get no certificates of their own. */
  siteBudget: CertificateBudget | undefined;
  /** Undefined without KEY_ENCRYPTION_KEYS. */
  keyRing: KeyRing | undefined;
  /** How long domains outlive a plan that includes them. */
  graceMs: number;
  newToken: () => string;
  /** Runs all or nothing; may run more than once. */
  transact: <T>(run: () => Promise<T>) => Promise<T>;
  /** After each step that was stored. */
  onStep: (before: Domain, after: DomainProgress) => void;
  /** A private key is of no use to this gateway: its key ring cannot be the one that others have. */
  onSealed: (domain: Domain, error: SealError) => void;
}

/** Somebody else has the domain by now, or nobody any more: what this step would write counts no longer. */
class ClaimLost extends Error {}

/** Until work is looked at again that cannot be done now, for no fault of the domain's. */
const RECHECK_MS = 60 * 60 * 1000;

/**
 * One step of a domain on its way, from what is stored to what is stored next; nothing waits in the process:
 *
 *   Verify → look at DNS → the project holds the name → certificate, step by step → renewals, for ever
 *                 ↑ again, ever more rarely, for 48 hours
 */
export async function advanceDomain(claim: Claim, parts: AdvanceParts): Promise<void> {
  const { domain } = claim;
  try {
    const project = await parts.projects.get(domain.projectId);
    if (project === undefined) await save(claim, forgotten(domain), parts);
    else if (isLookDue(domain, parts.clock())) await look(claim, project, parts);
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
  };
}

function isLookDue({ dns: { requestedAt, answeredAt, retryAt } }: Domain, nowMs: number): boolean {
  const isUnanswered = requestedAt !== undefined && requestedAt.getTime() !== answeredAt?.getTime();
  return isUnanswered || (retryAt !== undefined && retryAt.getTime() <= nowMs);
}

async function look(claim: Claim, project: Project, parts: AdvanceParts): Promise<void> {
  const { domain } = claim;
  const { fault, ownershipRequired } = await lookAtDns(domain, project, parts);
  if (fault !== undefined) {
    await lookFailed(claim, fault, ownershipRequired, parts);
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
  };
  try {
    await parts.transact(() => hold(claim, verified, parts));
  } catch (error) {
    if (!(error instanceof NameHeld)) throw error;
    // Another project verified or added the name, or one below the apex, between our look and now: that takes a TXT record.
    await lookFailed(claim, ownershipRequiredOf(domain), true, parts);
  }
}

/**
 * Gives the domain its name: takes it from another project that has it, records who holds it since when, and stops the
 * other project's redirects. In one transaction, audit records included.
 */
async function hold(claim: Claim, verified: Domain, parts: AdvanceParts): Promise<void> {
  const { domains, newToken, clock } = parts;
  const now = new Date(clock());
  const isNew = !claim.domain.holds;
  const isProved = !isNew || verified.ownershipRequired;
  if (!isProved && (await domains.isClaimedElsewhere(verified, pendingSince(now.getTime()))))
    throw new NameHeld();
  const lost = verified.ownershipRequired
    ? await domains.takeOver(verified, newToken(), (loser) => problemOf(ownershipRequiredOf(loser), now))
    : undefined;
  await domains.recordHolding(verified, now);
  await save(claim, verified, parts);
  if (!isNew) return;
  await recordNewHolder(verified, 'domain.verified', now, parts);
  if (lost === undefined) return;
  await stopRoutingTo(lost, parts.projects);
  await recordNewHolder(lost, 'domain.lost', now, parts);
}

/** Nobody asked for it at this moment: the gateway found it in the DNS. */
async function recordNewHolder(
  { projectId, name }: Domain,
  action: 'domain.verified' | 'domain.lost',
  at: Date,
  { audit }: AdvanceParts,
): Promise<void> {
  const actor = { role: 'gateway' } as const;
  await audit.add({ at, actor, action, target: { projectId }, before: undefined, after: { name } });
}

function ownershipRequiredOf({ name, ownershipToken }: Domain): Fault {
  const { name: recordName, value: expected } = ownershipRecord(name, ownershipToken);
  return { code: 'ownership_txt_required', recordName, expected };
}

/**
 * Re-verify begins an attempt at once, or the next step of one that waits; but for what the authority asked to wait for.
 * How many of them may fail is the authority's to say as well (certify.ts).
 */
function withAttemptNow({ certificate }: Domain, now: Date): CertificateTrack {
  const { issuance, current, failures } = certificate;
  const waitsForAuthority = issuance?.lastFailure?.kind === 'rate_limited';
  const isWanted = issuance !== undefined || current === undefined || failures > 0;
  return isWanted && !waitsForAuthority ? { ...certificate, nextAt: now } : certificate;
}

async function lookFailed(
  claim: Claim,
  fault: Fault,
  ownershipRequired: boolean,
  parts: AdvanceParts,
): Promise<void> {
  const { domain } = claim;
  const retryAt = dnsRetryAt(domain.dns, parts.clock());
  const dns: DnsTrack = {
    ...domain.dns,
    state: 'failed',
    answeredAt: domain.dns.requestedAt,
    failures: domain.dns.failures + 1,
    retryAt,
    problem: problemOf(fault, new Date(parts.clock()), retryAt),
  };
  await save(claim, { ...domain, dns, ownershipRequired }, parts);
}

async function goOnWithCertificate(claim: Claim, project: Project, parts: AdvanceParts): Promise<void> {
  const { domain } = claim;
  const { clock, onSealed } = parts;
  const later = new Date(clock() + RECHECK_MS);
  try {
    await save(
      claim,
      { ...domain, certificate: await nextCertificate(domain, project, later, parts) },
      parts,
    );
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    // Not thrown away: a gateway whose key ring is whole can still open it.
    onSealed(domain, error);
    await save(claim, { ...domain, certificate: { ...domain.certificate, nextAt: later } }, parts);
  }
}

/** @throws SealError */
async function nextCertificate(
  domain: Domain,
  project: Project,
  later: Date,
  parts: AdvanceParts,
): Promise<CertificateTrack> {
  const { authority, siteBudget, keyRing, clock } = parts;
  if (authority === undefined || !isServed(domain, project, parts)) {
    const rested =
      keyRing === undefined ? domain.certificate : resealCertificate(domain.certificate, keyRing);
    return { ...rested, nextAt: domain.holds ? later : undefined };
  }
  const { certificate, fault } =
    siteBudget !== undefined && domain.isPlatform
      ? await certifySite(domain, siteBudget, authority)
      : await certify(domain, authority);
  const told = domain.isPlatform ? siteProblemOf : problemOf;
  return { ...certificate, problem: fault && told(fault, new Date(clock()), certificate.nextAt) };
}

/** Whether it is to have a certificate: one that nobody would see is not asked for. */
function isServed(domain: Domain, project: Project, parts: AdvanceParts): boolean {
  const { siteBudget, platformHost, graceMs, clock } = parts;
  if (domain.isPlatform) {
    // PLATFORM_HOST may have been another when the record was made.
    const isCertified = siteBudget !== undefined && domain.registrable === platformHost;
    return isCertified && project.liveDeployId !== undefined;
  }
  const endAt = domainsEndAt(project, graceMs);
  return domain.holds && (endAt === undefined || clock() < endAt.getTime());
}

/** What is shown is what is wrong with the records, or else with the certificate. @throws ClaimLost */
async function save(
  claim: Claim,
  { dns, certificate, holds, ownershipRequired }: Domain,
  { domains, onStep }: AdvanceParts,
): Promise<void> {
  const nextRunAt = earliest(dns.retryAt, certificate.nextAt);
  const problem: Problem | undefined = dns.problem ?? certificate.problem;
  const progress = { dns, certificate, holds, ownershipRequired, problem, nextRunAt };
  if (!(await domains.save(claim, progress))) throw new ClaimLost();
  onStep(claim.domain, progress);
}

function earliest(...times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : new Date(Math.min(...known.map((time) => time.getTime())));
}
