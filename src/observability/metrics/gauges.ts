import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../lib/clock.js';
import { CACHES, type StatisticsByCache } from '../../lib/cache-statistics.js';
import type { LoadState } from '../../http/load/in-flight-limit.js';
import type { OutageState } from '../../features/limiter/fallback-limiter.js';
import type { Readiness } from '../../features/system/readiness.js';
import { PREFIX } from './instruments.js';
import { createReadAtScrape, inPatience, recentLook } from './read-at-scrape.js';

export interface GaugesParts {
  version: string;
  cacheStatistics: StatisticsByCache;
  load: () => Readonly<LoadState>;
  outages: () => Readonly<OutageState>;
  hearsOfChanges: () => boolean;
  readiness: () => Promise<Readiness>;
  clock: Clock;
}

/** Registers gauges and counters about this process. */
export function registerGauges(registry: Registry, parts: GaugesParts): void {
  const { version, cacheStatistics, load, outages, hearsOfChanges, readiness, clock } = parts;
  const { gauge, counter } = createReadAtScrape(registry);

  gauge('build_info', 'The version that runs.', () => ({ [version]: 1 }), {
    label: 'version',
    aggregator: 'first',
  });
  gauge('workers', 'Processes that answer requests.', () => 1);

  gauge('requests_in_flight', 'Requests that are not answered yet.', () => load().inFlight);
  gauge('requests_in_flight_limit', 'How many may be: fewer while the event loop is late.', () =>
    finite(load().limit),
  );
  counter('requests_shed_total', 'Requests answered 503 because of overload.', () => load().shed);
  counter('overloads_total', 'Episodes of overload.', () => load().overloads);
  counter(
    'event_loop_active_seconds_total',
    'How long event loops were at work, and not waiting for something to do.',
    () => performance.eventLoopUtilization().active / 1000,
  );

  gauge(
    'quota_outage',
    '1 while the quota store is down and local limits are in force.',
    () => Number(outages().down),
    {
      aggregator: 'max',
    },
  );
  counter('quota_outages_total', 'Outages of the quota store.', () => outages().outages);
  counter('quota_decisions_local_total', 'Charges decided by local limits.', () => outages().decidedLocally);

  new Counter({
    name: `${PREFIX}cache_lookups_total`,
    help: 'What was looked for in memory, and whether it was there.',
    labelNames: ['cache', 'result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const cache of CACHES) {
        this.inc({ cache, result: 'hit' }, cacheStatistics[cache].hits);
        this.inc({ cache, result: 'miss' }, cacheStatistics[cache].misses);
      }
    },
  });

  gauge(
    'key_changes_healthy',
    '1 while changes made elsewhere are heard of at once.',
    () => Number(hearsOfChanges()),
    {
      aggregator: 'min',
    },
  );
  const look = recentLook(() => inPatience(readiness()), clock);
  gauge('ready', '1 while /health/ready answers 200.', async () => Number((await look())?.ready ?? false), {
    aggregator: 'min',
  });
  gauge(
    'clock_offset_seconds',
    'MongoDB’s clock minus this one’s.',
    async () => inSeconds((await look())?.clockOffsetMs),
    {
      aggregator: 'max',
    },
  );
}

/** Prometheus accepts Infinity, but charts do not. */
const finite = (value: number) => (Number.isFinite(value) ? value : undefined);

const inSeconds = (milliseconds: number | undefined) => milliseconds && milliseconds / 1000;
