import type { Connection } from 'mongoose';
import { CLOCK_TOLERANCE_MS } from '../../lib/clock.js';
import { withTimeout } from '../../lib/with-timeout.js';
import type { Readiness } from './readiness.js';
import { clockOffsetMs } from '../../platform/mongo/connection.js';
import { checkMigrations, type WantedDatabase } from '../../platform/mongo/pending-migrations.js';

const TIMEOUT_MS = 2000;

/**
 * Returns whether this process can serve requests. It cannot if a newer version has changed the database in a way that
 * makes this version harmful. A wrong clock or a broken change stream is reported, but does not stop traffic.
 */
export async function checkReadiness(
  connection: Connection,
  wanted: Pick<WantedDatabase, 'steps' | 'version'>,
  keyWatchHealthy: () => boolean,
): Promise<Readiness> {
  const asked = Promise.all([clockOffsetMs(connection), checkMigrations(connection, wanted)]);
  const answered = await withTimeout(asked, TIMEOUT_MS).catch(() => undefined);
  if (answered === undefined)
    return { ready: false, checks: { mongodb: 'no answer' }, clockOffsetMs: undefined };
  const [offsetMs, { ready, check: migrations }] = answered;
  const keyChanges = keyWatchHealthy()
    ? 'ok'
    : 'change stream down or late: this process sees changes made elsewhere when cached keys expire';
  return {
    ready,
    checks: { mongodb: 'ok', migrations, clock: clockCheck(offsetMs), keyChanges },
    clockOffsetMs: offsetMs,
  };
}

export function clockCheck(offsetMs: number): string {
  if (Math.abs(offsetMs) <= CLOCK_TOLERANCE_MS) return 'ok';
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
  return `this clock is ${seconds} s ${offsetMs > 0 ? 'behind' : 'ahead of'} MongoDB's: bans and expiry times are wrong by as much`;
}
