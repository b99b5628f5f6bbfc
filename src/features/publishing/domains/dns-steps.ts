import type { Clock } from '../../../lib/clock.js';
import { HOUR_MS } from '../../../lib/clock.js';
import type { AuditRecord } from '../../audit/audit-record.js';
import type { AuditStore } from '../../audit/audit-store.js';
import { PLANS } from '../../plans/plans.js';
import type { Project } from '../../projects/project.js';
import { arrowOf, routingStateOf } from '../../projects/routing-state.js';
import { waitMs } from './back-off.js';
import { checkPermission, withAttemptNow, type CertificateParts } from './certificate-steps.js';
import { checkInTime, PASSED, type Check } from './dns/check.js';
import type { CaaFault } from './dns/check-caa.js';
import { checkOwnership, ownershipRecord } from './dns/check-ownership.js';
import { checkRouting, wantedLead, type LeadsBy } from './dns/check-routing.js';
import type { Dns } from './dns/dns.js';
import type { DnsTrack, Domain } from './domain.js';
import { siteHost } from '../../projects/site-address.js';
import { pendingSince } from './domains-service.js';
import { NameHeld, type DomainsStore } from './domains-store.js';
import { isPlatformCaa, lastProblemOf, problemOf, type Fault } from './problem.js';
import { stopRoutingTo, type RoutedProjects, type StoppedRouting } from './stop-routing-to.js';

export interface DnsParts {
  domains: Pick<DomainsStore, 'isClaimedElsewhere' | 'takeOver' | 'recordHolding'>;
  projects: RoutedProjects;
  audit: Pick<AuditStore, 'add'>;
  dns: Dns;
  platformHost: string;
  /** The platform's fixed addresses, if any. */
  platformAddresses: readonly string[];
  /** Undefined without a certificate authority. */
  authority: Pick<CertificateParts, 'acme' | 'dns' | 'platformHost'> | undefined;
  /** Called for CAA records of the platform that forbid the authority. Only the operator can change them. */
  onPlatformCaa: (fault: CaaFault) => void;
  newToken: () => string;
  /** Runs all or nothing, possibly more than once. */
  transact: <T>(run: () => Promise<T>) => Promise<T>;
  clock: Clock;
  /** Returns a number in [0, 1). */
  random: () => number;
}

export interface DnsWork<Parts = DnsParts> {
  domain: Domain;
  project: Project;
  parts: Parts;
  /** Stores the step. */
  save: (domain: Domain) => Promise<void>;
}

/** Whether the owner waits for a check, or one is due before the project holds the domain. */
export function isCheckDue({ dns: { requestedAt, answeredAt, retryAt } }: Domain, nowMs: number): boolean {
  const isUnanswered = requestedAt !== undefined && requestedAt.getTime() !== answeredAt?.getTime();
  return isUnanswered || (retryAt !== undefined && retryAt.getTime() <= nowMs);
}

/** Checks DNS for the owner, who chose Verify. If the records are right, the project holds the name from then on. */
export async function checkDns(work: DnsWork): Promise<void> {
  const { domain, parts } = work;
  const { fault, ownershipRequired, leadsBy } = await checkServable(work);
  const renewal = fault === undefined ? await checkRenewal(domain, parts) : PASSED;
  const found = renewal.passed ? fault : renewal.fault;
  if (found !== undefined) return checkFailed(work, found, ownershipRequired);
  const now = new Date(parts.clock());
  const { verifiedAt = now } = domain.dns;
  const verified = {
    ...domain,
    dns: { ...passed(domain.dns), answeredAt: domain.dns.requestedAt, verifiedAt },
    ownershipRequired,
    holds: true,
    certificate: withAttemptNow(domain.certificate, now),
    watchAt: watchAfter(0, now.getTime(), parts.random),
  };
  try {
    await parts.transact(() => hold(work, verified, leadsBy));
  } catch (error) {
    if (!(error instanceof NameHeld)) throw error;
    // Another project verified or added the name, or a name below the apex, after the DNS check: a TXT record is
    // required.
    await checkFailed(work, ownershipRequiredOf(domain), true);
  }
}

interface Servable {
  /** Undefined if the domain is verified. */
  fault: Fault | undefined;
  ownershipRequired: boolean;
  /** How the name leads to the project; if the check failed, how it must. */
  leadsBy: LeadsBy;
}

/**
 * Checks if the domain can be served for its project. An address proves no ownership, but a CNAME record to the
 * project's own host does. So a name that leads here by its addresses requires a TXT record if another project holds,
 * held or has pending a name of the same registrable domain. Any other name requires one if another project holds or
 * held that name.
 */
async function checkServable({ domain, project, parts }: DnsWork): Promise<Servable> {
  const { domains, dns, clock } = parts;
  const { name, ownershipToken, ownershipRequired: wasRequired } = domain;
  const wanted = wantedLead(domain);
  const failedBy = (fault: Fault, ownershipRequired: boolean) => ({
    fault,
    ownershipRequired,
    leadsBy: wanted,
  });
  if (!PLANS[project.plan].includesDomains) return failedBy({ code: 'plan_required', name }, wasRequired);
  if (project.liveDeployId === undefined) return failedBy({ code: 'not_deployed', name }, wasRequired);

  const since = pendingSince(clock());
  const needsProof = async (leadsBy: LeadsBy) =>
    !domain.holds && (await domains.isClaimedElsewhere(domain, leadsBy, since));
  const prove = () => checkInTime(checkOwnership(domain, ownershipToken, dns), name);

  const isProofWanted = await needsProof(wanted);
  const proved = isProofWanted ? await prove() : PASSED;
  if (!proved.passed) return failedBy(proved.fault, true);
  const routing = await checkRoutingOf(domain, project, parts);
  if (!routing.passed) return failedBy(routing.fault, isProofWanted);
  const { leadsBy } = routing;
  if (isProofWanted || leadsBy === wanted || !(await needsProof(leadsBy)))
    return { fault: undefined, ownershipRequired: isProofWanted, leadsBy };
  const alsoProved = await prove();
  return { fault: alsoProved.passed ? undefined : alsoProved.fault, ownershipRequired: true, leadsBy };
}

function checkRoutingOf(
  domain: Domain,
  project: Project,
  { dns, platformHost, platformAddresses }: DnsParts,
) {
  const target = { platformHost: siteHost(project.slug, platformHost), platformAddresses };
  return checkInTime(checkRouting(domain, target, dns), domain.name);
}

/**
 * Gives the domain its name: takes the name from another project that holds it, records the new holder and the time,
 * and stops the other project's redirects. Runs in one transaction, including the audit records.
 */
async function hold({ domain, parts, save }: DnsWork, verified: Domain, leadsBy: LeadsBy): Promise<void> {
  const { domains, projects, audit, newToken, clock } = parts;
  const now = new Date(clock());
  const isNew = !domain.holds;
  const isProved = !isNew || verified.ownershipRequired;
  if (!isProved && (await domains.isClaimedElsewhere(verified, leadsBy, pendingSince(now.getTime()))))
    throw new NameHeld();
  let stopped: StoppedRouting;
  const lost = verified.ownershipRequired
    ? await domains.takeOver(verified, newToken(), async (loser) => {
        stopped = await stopRoutingTo(loser, projects);
        const redirects = (stopped?.ended ?? []).map(arrowOf);
        return problemOf({ ...ownershipRequiredOf(loser), lost: { name: loser.name, redirects } }, now);
      })
    : undefined;
  await domains.recordHolding(verified, now);
  await save(verified);
  if (!isNew) return;
  const record = (action: 'domain.verified' | 'domain.lost', { projectId }: Domain, states: States) =>
    audit.add({ at: now, actor: GATEWAY, action, target: { projectId }, ...states });
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

async function checkFailed(work: DnsWork, fault: Fault, ownershipRequired: boolean): Promise<void> {
  const { domain, parts, save } = work;
  if (domain.holds)
    return save({
      ...domain,
      ...watchFailed(domain, fault, { wasRequested: true }, parts),
      ownershipRequired,
    });
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
  return save({ ...domain, dns, ownershipRequired });
}

/** How long DNS changes can take, as the specification says. After that, checks stop until Verify is chosen. */
const RETRIED_FOR_MS = 48 * HOUR_MS;

/**
 * Returns when to check again after this many consecutive failures; undefined once 48 hours have passed since Verify
 * was chosen.
 */
export function dnsRetryAt({ requestedAt, failures }: DnsTrack, nowMs: number): Date | undefined {
  const retryAtMs = nowMs + waitMs('dnsCheck', failures);
  const endMs = (requestedAt?.getTime() ?? 0) + RETRIED_FOR_MS;
  return retryAtMs > endMs ? undefined : new Date(retryAtMs);
}

/**
 * Checks whether a domain that the project holds still leads to the project, and whether its certificate can be renewed.
 * The project's plan makes no difference. Once the records are right again, a failed renewal is retried at once. The
 * domain stays served whatever the check finds.
 */
export async function watchDns({ domain, project, parts, save }: DnsWork): Promise<void> {
  const routing = await checkRoutingOf(domain, project, parts);
  const result = routing.passed ? await checkRenewal(domain, parts) : routing;
  if (!result.passed)
    return save({ ...domain, ...watchFailed(domain, result.fault, { wasRequested: false }, parts) });
  const now = new Date(parts.clock());
  const isRecovered = domain.dns.state === 'failed';
  const certificate = isRecovered ? withAttemptNow(domain.certificate, now) : domain.certificate;
  const watchAt = watchAfter(0, now.getTime(), parts.random);
  return save({ ...domain, dns: passed(domain.dns), certificate, watchAt });
}

/**
 * Checks whether CAA records permit the renewal of a domain's certificate. Passes for a domain without a certificate,
 * whose CAA records the attempt checks, and while the authority does not answer. Records of the platform are reported to
 * its operator, and pass: the owner of the domain can do nothing.
 */
async function checkRenewal(
  { name, certificate }: Domain,
  { authority, onPlatformCaa }: DnsParts,
): Promise<Check> {
  if (authority === undefined || certificate.current === undefined) return PASSED;
  const checked = (await checkPermission(name, authority)) ?? PASSED;
  if (checked.passed || !isPlatformCaa(checked.fault)) return checked;
  onPlatformCaa(checked.fault);
  return PASSED;
}

/** A name server that fails this many checks in a row is worth a problem. Fewer failures are common. */
const REPORTED_FAILURES = 3;

/**
 * The state after a failed check of a domain that the project holds. A wrong record makes it `failed`. A failed lookup
 * says nothing about the records, so it leaves the state as it was. The checks go on as long as the project holds the
 * domain.
 *
 * @param wasRequested whether the owner chose Verify, and waits for the result of this check
 */
function watchFailed(
  { dns }: Domain,
  fault: Fault,
  { wasRequested }: { wasRequested: boolean },
  { clock, random }: DnsParts,
): Pick<Domain, 'dns' | 'watchAt'> {
  const now = new Date(clock());
  const failures = dns.failures + 1;
  const watchAt = watchAfter(failures, now.getTime(), random);
  const asked = { ...dns, answeredAt: dns.requestedAt, failures, retryAt: undefined };
  const problem = problemOf(fault, now, watchAt);
  if (fault.code !== 'dns_unavailable') return { dns: { ...asked, state: 'failed', problem }, watchAt };
  if (dns.state === 'verified') {
    const isReported = wasRequested || dns.problem !== undefined || failures >= REPORTED_FAILURES;
    return { dns: { ...asked, problem: isReported ? problem : undefined }, watchAt };
  }
  // The records were wrong when they were last seen.
  const known = wasRequested ? undefined : dns.problem;
  return {
    dns: { ...asked, state: 'failed', problem: known ? { ...known, retryAt: watchAt } : problem },
    watchAt,
  };
}

/** The state after a check that found the records right. */
export function passed({ requestedAt, answeredAt, verifiedAt }: DnsTrack): DnsTrack {
  return { state: 'verified', requestedAt, answeredAt, verifiedAt, failures: 0 };
}

const WATCH_MS = 6 * HOUR_MS;

/**
 * When to check a held domain again: four to six hours after a check that found nothing wrong, sooner after failures,
 * at growing intervals. The drawn part spreads the checks of domains that were once checked together.
 *
 * @param failures consecutive failed checks
 */
export function watchAfter(failures: number, nowMs: number, random: () => number): Date {
  const longestMs = failures === 0 ? WATCH_MS : waitMs('dnsWatch', failures - 1);
  return new Date(nowMs + Math.round(longestMs * (1 - random() / 3)));
}
