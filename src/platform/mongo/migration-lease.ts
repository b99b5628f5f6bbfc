import { hostname } from 'node:os';
import type { MigrationRecord } from './migration-record.js';

/** Who takes the lease, for people. */
export const ME = `${hostname()}, process ${process.pid}`;

/** Another gateway took the lease, because this one did not renew it in time. */
export class LeaseLost extends Error {}

/** The lease of the one gateway that migrates. */
export interface MigrationLease {
  fence: number;
  /** Aborted once it is lost. */
  signal: AbortSignal;
}

/**
 * Takes the lease and renews it for as long as `work` takes. False when another one has it, or took it meanwhile.
 * @throws what `work` throws while it has the lease
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
    // A database that is gone tells `work` itself.
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
