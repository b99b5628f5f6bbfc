import type { Connection } from 'mongoose';
import type { Readiness } from '../http/health.js';
import { clockOffsetMs } from './connection.js';

const TIMEOUT_MS = 2000;
/** Counters expire by each gateway's clock: further apart than this, two gateways disagree on when a window ends. */
const CLOCK_TOLERANCE_MS = 1000;

/** Whether requests can be answered. A wrong clock or a broken change stream is told, but does not stop traffic. */
export async function checkReadiness(
  connection: Connection,
  keyWatchHealthy: () => boolean,
): Promise<Readiness> {
  const offsetMs = await withinTimeout(clockOffsetMs(connection));
  if (offsetMs === undefined) return { ready: false, checks: { mongodb: 'no answer' } };
  const keyChanges = keyWatchHealthy()
    ? 'ok'
    : 'change stream down: changes made elsewhere are seen when cached keys expire';
  return { ready: true, checks: { mongodb: 'ok', clock: clockCheck(offsetMs), keyChanges } };
}

export function clockCheck(offsetMs: number): string {
  if (Math.abs(offsetMs) <= CLOCK_TOLERANCE_MS) return 'ok';
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
  return `this clock is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} MongoDB's: a quota window may be admitted twice`;
}

async function withinTimeout<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), TIMEOUT_MS);
  });
  try {
    return await Promise.race([answer.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
}
