import type { Connection } from 'mongoose';
import type { Readiness } from '../http/health.js';
import { CLOCK_TOLERANCE_MS } from '../lib/clock.js';
import { withTimeout } from '../lib/with-timeout.js';
import { clockOffsetMs } from './connection.js';

const TIMEOUT_MS = 2000;

/** Whether requests can be answered. A wrong clock or a broken change stream is told, but does not stop traffic. */
export async function checkReadiness(
  connection: Connection,
  keyWatchHealthy: () => boolean,
): Promise<Readiness> {
  const offsetMs = await withTimeout(clockOffsetMs(connection), TIMEOUT_MS).catch(() => undefined);
  if (offsetMs === undefined) return { ready: false, checks: { mongodb: 'no answer' } };
  const keyChanges = keyWatchHealthy()
    ? 'ok'
    : 'change stream down or late: changes made elsewhere are seen when cached keys expire';
  return { ready: true, checks: { mongodb: 'ok', clock: clockCheck(offsetMs), keyChanges } };
}

export function clockCheck(offsetMs: number): string {
  if (Math.abs(offsetMs) <= CLOCK_TOLERANCE_MS) return 'ok';
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
  return `this clock is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} MongoDB's: a quota window may be admitted twice`;
}
