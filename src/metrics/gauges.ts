import { Counter, Gauge, type Registry } from 'prom-client';
import { CACHES, type LookupsByCache } from '../lib/lookups.js';
import type { LoadState } from '../load/in-flight-limit.js';
import type { OutageState } from '../quotas/outage-limiter.js';
import { PREFIX } from './instruments.js';
import { lookAtDatabase, type LookParts } from './look-at-database.js';

export interface GaugesParts extends LookParts {
  version: string;
  lookups: LookupsByCache;
  load: () => Readonly<LoadState>;
  outages: () => Readonly<OutageState>;
  hearsOfChanges: () => boolean;
}

/** How processes of one gateway are put together: the sum, unless it is said otherwise. */
type Aggregator = 'sum' | 'max' | 'min' | 'first';

/** What is looked up when somebody asks for the metrics. */
export function registerGauges(registry: Registry, parts: GaugesParts): void {
  const { version, lookups, load, outages, hearsOfChanges } = parts;
  const registers = [registry];

  /** What `read` gives: a number, numbers by label, or undefined where it cannot be told. */
  function gauge(
    name: string,
    help: string,
    read: () => Values | Promise<Values>,
    { label, aggregator = 'sum' }: { label?: string; aggregator?: Aggregator } = {},
  ): void {
    new Gauge({
      name: `${PREFIX}${name}`,
      help,
      labelNames: label === undefined ? [] : [label],
      aggregator,
      registers,
      async collect() {
        this.reset();
        for (const [of, value] of entriesOf(await read()))
          if (label === undefined) this.set(value);
          else this.set({ [label]: of }, value);
      },
    });
  }

  /** A number that only ever grows, kept where it is counted. */
  function counter(name: string, help: string, read: () => number): void {
    new Counter({
      name: `${PREFIX}${name}`,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  }

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
    registers,
    collect() {
      this.reset();
      for (const cache of CACHES) {
        this.inc({ cache, result: 'hit' }, lookups[cache].hits);
        this.inc({ cache, result: 'miss' }, lookups[cache].misses);
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
  const look = shared(() => lookAtDatabase(parts));
  gauge('ready', '1 while /health/ready answers 200.', async () => Number((await look()).ready), {
    aggregator: 'min',
  });
  gauge(
    'clock_offset_seconds',
    'MongoDB’s clock minus this one’s.',
    async () => (await look()).clockOffsetSeconds,
    {
      aggregator: 'max',
    },
  );

  // The same from each process: they are of the database.
  const ofDatabase = { aggregator: 'max' } as const;
  gauge('domains', 'Customers’ domains by status.', async () => (await look()).domains, {
    ...ofDatabase,
    label: 'status',
  });
  gauge('domains_due', 'Domains due for a step.', async () => (await look()).domainsDue, ofDatabase);
  gauge(
    'domain_worker_lag_seconds',
    'How long the domain that is due longest has been.',
    async () => (await look()).domainLagSeconds,
    ofDatabase,
  );
  gauge('certificates', 'Certificates by the days until they end.', async () => (await look()).certificates, {
    ...ofDatabase,
    label: 'days_left',
  });
}

type Values = number | undefined | Readonly<Record<string, number>>;

function entriesOf(values: Values): [string, number][] {
  if (values === undefined) return [];
  return typeof values === 'number' ? [['', values]] : Object.entries(values);
}

/** Prometheus takes Infinity, but no chart does. */
const finite = (value: number) => (Number.isFinite(value) ? value : undefined);

/** All who ask while it is under way share one run: the gauges of one scrape. */
function shared<T>(run: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined;
  return () => (underWay ??= run().finally(() => (underWay = undefined)));
}
