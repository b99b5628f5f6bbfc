import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { WITH_CHECKS } from '../support/readiness.js';
import { until } from '../support/until.js';
import { watchHealth, type Look } from './health-watch.js';
import { issueKey } from './issue-key.js';
import { openLedger } from './ledger.js';
import { spendKey } from './spend-key.js';

export interface Fault {
  name: string;
  begin: () => unknown;
  end: () => unknown;
  /** Long enough for the first requests to have waited out every limit. */
  lastsMs: number;
}

export interface Stage {
  /** Of a gateway that was started with GATEWAY_ENV. */
  url: string;
  /** A server key that the load does not use up. */
  secret: string;
  /** Its database, past the fault. */
  database: { uri: string };
  connection: Connection;
  /** The longest answer. */
  boundMs: number;
}

/** What clients and an orchestrator saw of a fault. */
export interface Passage {
  /** Answers by outcome, as in ledger.ts. */
  outcomes: Record<string, number>;
  /** Of /health/ready, while the fault lasted. */
  readyDuring: readonly Look[];
  /** How much a key was admitted that has QUOTA. */
  admitted: number;
}

/** Two nodes share the quotas, as far as it knows; no ban hides what would be admitted. */
export const GATEWAY_ENV = { ...WITH_CHECKS, QUOTA_NODES: '2', STRIKES_PER_BAN: '1000' };
/** The same for the day, so that a slow run does not come into the next window. */
export const QUOTA = { requestsPerMinute: 60, requestsPerDay: 60 };
/** One node's part. */
const LOCAL_LIMIT = 30;
/** /health/ready asks the stores for two seconds at most; a busy machine adds to it. */
const LONGEST_LOOK_MS = 4000;
/** For so long an answer of /health/ready is shared. */
const READINESS_SHARED_MS = 1000;
/** So many before the fault, and so many after it. */
const CREATES = 50;

/**
 * Clients and health probes before, during and after a fault. Expects that /health/live stays 200 and waits for
 * nothing; that /health/ready does not wait long; that soon after creates succeed and /health/ready has nothing to say against anything; that a key was admitted
 * its limit and one local limit at most; and all that `Ledger.expectKept` says.
 */
export async function liveThrough(
  { name, begin, end, lastsMs }: Fault,
  { url, secret, database, connection, boundMs }: Stage,
): Promise<Passage> {
  const { secret: small } = await issueKey(database, QUOTA);
  const ledger = openLedger({ url, secret });
  const spending = spendKey({ url, secret: small });
  const health = watchHealth(url);
  try {
    await until('creates before the fault', () => Promise.resolve(ledger.acknowledged() >= CREATES));
    const beganMs = performance.now();
    try {
      await begin();
      await sleep(lastsMs);
      // On a slow machine the last look may have begun before the fault.
      await until('a look at readiness during the fault', () =>
        Promise.resolve(
          health.ready.some(({ atMs, tookMs }) => atMs - tookMs > beganMs + READINESS_SHARED_MS),
        ),
      );
    } finally {
      await end();
    }
    const endedMs = performance.now();
    const acknowledgedThen = ledger.acknowledged();
    await until('creates after the fault', () =>
      Promise.resolve(ledger.acknowledged() >= acknowledgedThen + CREATES),
    );
    await until('readiness after the fault', () =>
      Promise.resolve(health.ready.some((look) => look.atMs > endedMs && isAllWell(look))),
    );
    await ledger.settle();
    const admitted = await spending.stop();
    await health.stop();
    const againMs = Math.round(ledger.nextAcknowledgedAfterMs(endedMs) ?? NaN);
    process.stderr.write(`${name}: the next create ${againMs} ms after it; of 60 admitted ${admitted}\n`);

    await ledger.expectKept(name, connection, boundMs);
    expect(admitted).toBeLessThanOrEqual(QUOTA.requestsPerMinute + LOCAL_LIMIT);
    expect(new Set(health.live.map(({ status }) => status))).toEqual(new Set([200]));
    const during = (looks: readonly Look[]) => looks.filter(({ atMs }) => atMs > beganMs && atMs < endedMs);
    expect(median(during(health.live).map(({ tookMs }) => tookMs))).toBeLessThan(LONGEST_LOOK_MS);
    const longestMs = Math.max(...health.ready.map(({ tookMs }) => tookMs));
    expect(longestMs).toBeLessThan(LONGEST_LOOK_MS + ledger.machineMs());
    return { admitted, outcomes: ledger.seen().outcomes, readyDuring: during(health.ready) };
  } finally {
    await Promise.allSettled([ledger.settle(), spending.stop(), health.stop()]);
  }
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function isAllWell({ status, checks }: Look): boolean {
  return status === 200 && Object.values(checks).every((check) => /(^|: )ok$/.test(check));
}
