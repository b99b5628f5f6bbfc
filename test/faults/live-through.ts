import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { until } from '../support/until.js';
import { watchHealth, type Look } from './health-watch.js';
import { openLedger, type LedgerTarget } from './ledger.js';

export interface Fault {
  name: string;
  begin: () => unknown;
  end: () => unknown;
  /** Long enough for the first requests to have waited out every limit. */
  lastsMs: number;
}

/** What clients and an orchestrator saw of a fault. */
export interface Passage {
  /** Answers by outcome, as in ledger.ts. */
  outcomes: Record<string, number>;
  /** Of /health/ready, while the fault lasted. */
  readyDuring: readonly Look[];
}

/** /health/ready asks the stores for two seconds at most; the rest is what a busy machine adds. */
const LONGEST_LOOK_MS = 4000;
/** So many before the fault, and so many after it. */
const CREATES = 50;

/**
 * Clients and health probes before, during and after a fault. Expects that /health/live stays 200 and no probe waits
 * long, that creates succeed and /health/ready is 200 again soon after, and all that `Ledger.expectKept` says.
 * @param boundMs the longest answer
 */
export async function liveThrough(
  { name, begin, end, lastsMs }: Fault,
  target: LedgerTarget,
  database: Connection,
  boundMs: number,
): Promise<Passage> {
  const ledger = openLedger(target);
  const health = watchHealth(target.url);
  try {
    await until('creates before the fault', () => Promise.resolve(ledger.acknowledged() >= CREATES));
    const beganMs = performance.now();
    try {
      await begin();
      await sleep(lastsMs);
    } finally {
      await end();
    }
    const endedMs = performance.now();
    const acknowledgedThen = ledger.acknowledged();
    await until('creates after the fault', () =>
      Promise.resolve(ledger.acknowledged() >= acknowledgedThen + CREATES),
    );
    const againMs = Math.round(ledger.nextAcknowledgedAfterMs(endedMs) ?? NaN);
    process.stderr.write(`${name}: the next create ${againMs} ms after it\n`);
    await until('readiness after the fault', () =>
      Promise.resolve(health.ready.some(({ atMs, status }) => atMs > endedMs && status === 200)),
    );
    await ledger.settle();
    await health.stop();
    await ledger.expectKept(name, database, boundMs);
    expect(new Set(health.live.map(({ status }) => status))).toEqual(new Set([200]));
    const looks = [...health.live, ...health.ready];
    expect(Math.max(...looks.map(({ tookMs }) => tookMs))).toBeLessThan(LONGEST_LOOK_MS);
    return {
      outcomes: ledger.seen().outcomes,
      readyDuring: health.ready.filter(({ atMs }) => atMs > beganMs && atMs < endedMs),
    };
  } finally {
    await Promise.allSettled([ledger.settle(), health.stop()]);
  }
}
