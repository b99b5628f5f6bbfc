import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../lib/clock.js';
import { droppedLogLines } from '../../lib/logger.js';
import { CACHES, type StatisticsByCache } from '../../lib/cache-statistics.js';
import type { LoadState } from '../../http/load/in-flight-limit.js';
import type { OutageState } from '../../features/limiter/outage.js';
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

  gauge('build_info', 'The version of the gateway; the value is always 1.', () => ({ [version]: 1 }), {
    label: 'version',
    aggregator: 'first',
  });
  gauge('workers', 'Worker processes that serve requests.', () => 1);

  gauge('requests_in_flight', 'Requests in flight.', () => load().inFlight);
  gauge('requests_receiving', 'Requests whose bodies are on the way.', () => load().receiving);
  gauge(
    'requests_in_flight_limit',
    'Maximum number of requests in flight; lower while the event loop is late.',
    () => finite(load().limit),
  );
  counter('requests_shed_total', 'Requests rejected with 503 because of overload.', () => load().shed);
  counter('overloads_total', 'Episodes of overload.', () => load().overloads);
  counter(
    'event_loop_active_seconds_total',
    'Seconds that event loops were busy.',
    () => performance.eventLoopUtilization().active / 1000,
  );

  gauge(
    'quota_outage',
    '1 while the quota store is down and local limits apply, otherwise 0.',
    () => Number(outages().down),
    {
      aggregator: 'max',
    },
  );
  counter('quota_outages_total', 'Outages of the quota store.', () => outages().outages);
  counter('quota_decisions_local_total', 'Charges decided by local limits.', () => outages().decidedLocally);

  new Counter({
    name: `${PREFIX}cache_lookups_total`,
    help: 'Lookups in memory caches, by cache and result (hit or miss).',
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

  counter(
    'log_lines_dropped_total',
    'Log lines dropped because the reader of standard error did not take them.',
    droppedLogLines,
  );

  gauge(
    'key_changes_healthy',
    '1 while the change stream delivers changes made by other processes, otherwise 0.',
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
    'Clock of MongoDB minus the clock of this process.',
    async () => inSeconds((await look())?.clockOffsetMs),
    {
      aggregator: 'max',
    },
  );
}

/** Prometheus accepts Infinity, but charts do not. */
const finite = (value: number) => (Number.isFinite(value) ? value : undefined);

const inSeconds = (milliseconds: number | undefined) => milliseconds && milliseconds / 1000;
