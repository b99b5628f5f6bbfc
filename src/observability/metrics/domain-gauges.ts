import type { Registry } from 'prom-client';
import type { DomainCounts, DomainStatistics } from '../../features/publishing/domains/domain-statistics.js';
import type { SharedReadings } from '../../features/system/mongo-shared-readings.js';
import { DAY_MS, SECOND_MS, type Clock } from '../../lib/clock.js';
import { createReadAtScrape, inPatience, recentLook } from './read-at-scrape.js';

export interface DomainGaugesParts {
  domains: DomainStatistics;
  readings: SharedReadings;
  clock: Clock;
}

/**
 * Maximum age of what another gateway has read. MongoDB's work for one read grows with the domains, and there may be many
 * gateways.
 */
const SHARED_MS = 10 * SECOND_MS;

/** Days until a certificate expires: each range reaches from the bound before it to its own. */
const DAYS_LEFT = { expired: 0, under_7: 7, under_14: 14, under_30: 30, over_30: undefined } as const;

/** Registers gauges of domains and certificates, read from the database: every process reports the same values. */
export function registerDomainGauges(
  registry: Registry,
  { domains, readings, clock }: DomainGaugesParts,
): void {
  const { gauge } = createReadAtScrape(registry);
  const lookShared = () => {
    const nowMs = clock();
    const isWhole = (found: Look) => Object.values(found).every((value) => value !== undefined);
    return readings.get('domain gauges', {
      ...{ maxAgeMs: SHARED_MS, nowMs, isWhole },
      read: () => lookAt(domains, nowMs),
    });
  };
  const look = recentLook(lookShared, clock);
  gauge('domains', 'Custom domains, by status.', async () => (await look()).byStatus, {
    label: 'status',
  });
  gauge(
    'domains_due',
    'Domains whose next step (verification, issue or renewal) is due.',
    async () => (await look()).due,
  );
  gauge(
    'domain_worker_lag_seconds',
    'Seconds since the next step of the longest-waiting domain became due.',
    async () => (await look()).lagSeconds,
  );
  gauge(
    'certificates',
    'Certificates, by the days until they expire.',
    async () => (await look()).certificates,
    {
      label: 'days_left',
    },
  );
}

interface Look {
  byStatus: DomainCounts | undefined;
  due: number | undefined;
  lagSeconds: number | undefined;
  certificates: Record<string, number> | undefined;
}

async function lookAt(domains: DomainStatistics, nowMs: number): Promise<Look> {
  const now = new Date(nowMs);
  const [byStatus, due, certificates] = await Promise.all([
    inPatience(domains.byStatus(now)),
    inPatience(domains.due(now)),
    inPatience(countByDaysLeft(domains, nowMs)),
  ]);
  return {
    byStatus,
    due: due?.due,
    lagSeconds: due && Math.max(0, nowMs - (due.oldestDueAt?.getTime() ?? nowMs)) / 1000,
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
