import type { Clock } from '../lib/clock.js';
import type { Project } from '../projects/project.js';
import { certify, type CertifyParts } from './certify.js';
import type { CertificateTrack, DnsTrack, Domain } from './domain.js';
import { NameHeld, type Claim, type DomainProgress, type DomainsStore } from './domains-store.js';
import { dnsRetryAt, lookAtDns, type LookParts } from './look-at-dns.js';
import { ownershipRecord } from './dns/ownership-record.js';
import { problemOf, type Fault } from './problem.js';

export interface AdvanceParts extends LookParts {
  domains: DomainsStore;
  projectOf: (id: string) => Promise<Project | undefined>;
  /** Undefined without a certificate authority: domains are verified, and served over HTTP alone. */
  authority: CertifyParts | undefined;
  /** Runs all or nothing; may run more than once. */
  transact: <T>(run: () => Promise<T>) => Promise<T>;
  /** Within the transaction that gives the domain its name; `lost`: of another project, which had it. */
  onVerified: (domain: Domain, lost: Domain | undefined) => Promise<void>;
  /** After each step that was stored. */
  onStep: (before: Domain, after: DomainProgress) => void;
  clock: Clock;
}

/**
 * One step of a domain on its way, from what is stored to what is stored next; nothing waits in the process:
 *
 *   Verify → look at DNS → the project holds the name → certificate, step by step → renewals, for ever
 *                 ↑ again, ever more rarely, for 48 hours
 *
 * @returns false when somebody else has the domain by now, or nobody any more
 */
export async function advanceDomain(claim: Claim, parts: AdvanceParts): Promise<boolean> {
  const { domain } = claim;
  const project = await parts.projectOf(domain.projectId);
  if (project === undefined) return save(claim, domain, undefined, parts);
  return isLookDue(domain, parts.clock())
    ? look(claim, project, parts)
    : goOnWithCertificate(claim, project, parts);
}

function isLookDue({ dns: { requestedAt, answeredAt, retryAt } }: Domain, nowMs: number): boolean {
  const isUnanswered = requestedAt !== undefined && requestedAt.getTime() !== answeredAt?.getTime();
  return isUnanswered || (retryAt !== undefined && retryAt.getTime() <= nowMs);
}

async function look(claim: Claim, project: Project, parts: AdvanceParts): Promise<boolean> {
  const { domain } = claim;
  const { fault, ownershipRequired } = await lookAtDns(domain, project, parts);
  if (fault !== undefined) return lookFailed(claim, fault, ownershipRequired, parts);
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
    return await parts.transact(() => hold(claim, verified, parts));
  } catch (error) {
    if (!(error instanceof NameHeld)) throw error;
    // Somebody else verified the name between our look and now: from here on that takes a TXT record.
    return lookFailed(claim, ownershipRequiredOf(domain), true, parts);
  }
}

async function hold(claim: Claim, verified: Domain, parts: AdvanceParts): Promise<boolean> {
  const { domains, onVerified, clock } = parts;
  const now = new Date(clock());
  const lost = verified.ownershipRequired
    ? await domains.takeOver(verified, (loser) => problemOf(ownershipRequiredOf(loser), now))
    : undefined;
  await domains.recordHolding(verified, now);
  if (!(await save(claim, verified, undefined, parts))) return false;
  if (!claim.domain.holds) await onVerified(verified, lost);
  return true;
}

function ownershipRequiredOf({ name, ownershipToken }: Domain): Fault {
  const { name: recordName, value: expected } = ownershipRecord(name, ownershipToken);
  return { code: 'ownership_txt_required', recordName, expected };
}

/** Re-verify begins an attempt at once; how many of them may fail is the authority's to say (certify.ts). */
function withAttemptNow({ certificate }: Domain, now: Date): CertificateTrack {
  return certificate.issuance === undefined && certificate.current === undefined
    ? { ...certificate, nextAt: now }
    : certificate;
}

async function lookFailed(
  claim: Claim,
  fault: Fault,
  ownershipRequired: boolean,
  parts: AdvanceParts,
): Promise<boolean> {
  const { domain } = claim;
  const retryAt = dnsRetryAt(domain.dns, parts.clock());
  const dns: DnsTrack = {
    ...domain.dns,
    state: 'failed',
    answeredAt: domain.dns.requestedAt,
    failures: domain.dns.failures + 1,
    retryAt,
  };
  return save(claim, { ...domain, dns, ownershipRequired }, fault, parts);
}

const PLAN_RECHECK_MS = 60 * 60 * 1000;

async function goOnWithCertificate(claim: Claim, project: Project, parts: AdvanceParts): Promise<boolean> {
  const { domain } = claim;
  if (parts.authority === undefined || !domain.holds) return save(claim, domain, undefined, parts);
  // Suspended, or about to be: what is not served needs no certificate, and an upgrade brings it back.
  if (project.plan === 'free') {
    const nextAt = new Date(parts.clock() + PLAN_RECHECK_MS);
    const certificate = { ...domain.certificate, nextAt };
    return save(claim, { ...domain, certificate }, undefined, parts);
  }
  const { certificate, fault } = await certify(domain, parts.authority);
  return save(claim, { ...domain, certificate }, fault, parts);
}

/** A problem stands until a step of its own kind succeeds; each step tells of what it found. */
async function save(
  claim: Claim,
  { dns, certificate, holds, ownershipRequired }: Domain,
  fault: Fault | undefined,
  { authority, domains, onStep, clock }: AdvanceParts,
): Promise<boolean> {
  const nextRunAt = authority === undefined ? dns.retryAt : earliest(dns.retryAt, certificate.nextAt);
  const problem = fault && problemOf(fault, new Date(clock()), nextRunAt);
  const progress = { dns, certificate, holds, ownershipRequired, problem, nextRunAt };
  const saved = await domains.save(claim, progress);
  if (saved) onStep(claim.domain, progress);
  return saved;
}

function earliest(...times: readonly (Date | undefined)[]): Date | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : new Date(Math.min(...known.map((time) => time.getTime())));
}
