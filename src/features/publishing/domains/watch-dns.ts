import type { Project } from '../../projects/project.js';
import { checkPermission, type CertifyParts } from './certify.js';
import { inTime, PASSED, type Check } from './dns/check.js';
import { checkRouting } from './dns/check-routing.js';
import type { DnsTrack, Domain } from './domain.js';
import { siteHost } from '../../projects/site-address.js';
import type { CaaFault } from './dns/check-caa.js';
import type { LookParts } from './look-at-dns.js';
import { isPlatformCaa, problemOf, type Fault } from './problem.js';

/** The part of a domain that a check of a held domain changes. */
export type Watched = Pick<Domain, 'dns' | 'watchAt'>;

export interface WatchParts extends LookParts {
  /** Undefined without a certificate authority. */
  authority: Pick<CertifyParts, 'acme' | 'dns' | 'platformHost'> | undefined;
  /** Called for CAA records of the platform that forbid the authority. Only the operator can change them. */
  onPlatformCaa: (fault: CaaFault) => void;
  /** Returns a number in [0, 1). */
  random: () => number;
}

/**
 * Checks whether a domain that the project holds still leads to the project, and whether its certificate can be renewed.
 * The project's plan makes no difference.
 */
export async function checkHeld(domain: Domain, project: Project, parts: WatchParts): Promise<Check> {
  const { dns, platformHost, platformAddresses } = parts;
  const target = { platformHost: siteHost(project.slug, platformHost), platformAddresses };
  const routing = await inTime(checkRouting(domain, target, dns), domain.name);
  return routing.passed ? checkRenewal(domain, parts) : routing;
}

/**
 * Checks whether CAA records permit the renewal of a domain's certificate. Passes for a domain without a certificate,
 * whose CAA records certify.ts checks, and while the authority does not answer. Records of the platform are reported to
 * its operator, and pass: the owner of the domain can do nothing.
 */
export async function checkRenewal(
  { name, certificate }: Pick<Domain, 'name' | 'certificate'>,
  { authority, onPlatformCaa }: Pick<WatchParts, 'authority' | 'onPlatformCaa'>,
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
export function failedWatch(
  { dns }: Pick<Domain, 'dns'>,
  fault: Fault,
  wasRequested: boolean,
  { clock, random }: Pick<WatchParts, 'clock' | 'random'>,
): Watched {
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
export function passedWatch(dns: DnsTrack): DnsTrack {
  const { requestedAt, answeredAt, verifiedAt } = dns;
  return { state: 'verified', requestedAt, answeredAt, verifiedAt, failures: 0 };
}

const MINUTE_MS = 60_000;
const FIRST_RETRY_MS = MINUTE_MS;
const WATCH_MS = 6 * 60 * MINUTE_MS;

/**
 * When to check a held domain again: four to six hours after a check that found nothing wrong, sooner after failures,
 * at growing intervals. The drawn part spreads the checks of domains that were once checked together.
 *
 * @param failures consecutive failed checks
 */
export function watchAfter(failures: number, nowMs: number, random: () => number): Date {
  const waitMs = failures === 0 ? WATCH_MS : Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), WATCH_MS);
  return new Date(nowMs + Math.round(waitMs * (1 - random() / 3)));
}
