import { hostname } from 'node:os';
import type { MigrationRecord } from './migration-record.js';

/** Identifies this process as a lease holder, in log lines. */
export const ME = `${hostname()}, process ${process.pid}`;

/** Another gateway took the lease because this gateway did not renew it in time. */
export class LeaseLost extends Error {}

/** The lease that lets one gateway at a time migrate the database. */
export interface MigrationLease {
  fence: number;
  /** Aborted when the lease is lost. */
  signal: AbortSignal;
}

/**
 * Takes the lease and renews it while `work` runs. Resolves with false when another gateway holds the lease or takes it
 * while `work` runs.
 * @throws errors of `work`, as long as the lease is held
 */
export async function underLease(
  record: MigrationRecord,
  leaseMs: number,
  work: (lease: MigrationLease) => Promise<void>,
): Promise<boolean> {
  const fence = await record.take(ME, leaseMs);
  if (fence === undefined) return false;
  const lost = new AbortController();
  const renewal = setInterval(() => {
    // If the database is unreachable, `work` fails by itself.
    void record.renew(fence, leaseMs).then(
      (isOurs) => !isOurs && lost.abort(new LeaseLost()),
      () => undefined,
    );
  }, leaseMs / 3);
  try {
    await work({ fence, signal: lost.signal });
    return true;
  } catch (error) {
    if (error instanceof LeaseLost || lost.signal.aborted) return false;
    throw error;
  } finally {
    clearInterval(renewal);
    await record.release(fence);
  }
}
