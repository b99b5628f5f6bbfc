import type { DomainCounts, DomainStatistics } from '../domains/domain-statistics.js';
import type { Readiness } from '../http/health.js';
import { DAY_MS, type Clock } from '../lib/clock.js';
import { withTimeout } from '../lib/with-timeout.js';

export interface LookParts {
  readiness: () => Promise<Readiness>;
  /** MongoDB's clock minus this one, milliseconds. */
  clockOffsetMs: () => Promise<number>;
  domains: DomainStatistics;
  clock: Clock;
}

/** What could not be told in time is undefined: a gauge that is left out says more than one that is late. */
export interface Looked {
  ready: boolean;
  clockOffsetSeconds: number | undefined;
  domains: DomainCounts | undefined;
  domainsDue: number | undefined;
  /** How long the domain that is due longest has been. */
  domainLagSeconds: number | undefined;
  certificates: Record<string, number> | undefined;
}

const PATIENCE_MS = 2000;
/** The days until a certificate ends: each from the bound of the one before to its own. */
const DAYS_LEFT = { expired: 0, under_7: 7, under_14: 14, under_30: 30, over_30: undefined } as const;

export async function lookAtDatabase({
  readiness,
  clockOffsetMs,
  domains,
  clock,
}: LookParts): Promise<Looked> {
  const nowMs = clock();
  const now = new Date(nowMs);
  const [state, offsetMs, byStatus, due, certificates] = await Promise.all([
    inPatience(readiness()),
    inPatience(clockOffsetMs()),
    inPatience(domains.byStatus(now)),
    inPatience(domains.due(now)),
    inPatience(countByDaysLeft(domains, nowMs)),
  ]);
  return {
    ready: state?.ready ?? false,
    clockOffsetSeconds: offsetMs === undefined ? undefined : offsetMs / 1000,
    domains: byStatus,
    domainsDue: due?.due,
    domainLagSeconds: due && Math.max(0, nowMs - (due.oldestDueAt?.getTime() ?? nowMs)) / 1000,
    certificates,
  };
}

async function countByDaysLeft(domains: DomainStatistics, nowMs: number): Promise<Record<string, number>> {
  const bounds = Object.values(DAYS_LEFT).map((days) =>
    days === undefined ? undefined : new Date(nowMs + days * DAY_MS),
  );
  const counts = await Promise.all(
    bounds.map((until, index) => domains.countCertificates(bounds[index - 1], until)),
  );
  return Object.fromEntries(Object.keys(DAYS_LEFT).map((name, index) => [name, counts[index] ?? 0]));
}

const inPatience = <T>(answer: Promise<T>): Promise<T | undefined> =>
  withTimeout(answer, PATIENCE_MS).catch(() => undefined);
