import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { twoAtATime } from '../../lib/two-at-a-time.js';
import { closeGap, describeGap, type Gap } from './collections.js';
import { createMigrationRecord, type MigrationRecord } from './migration-record.js';
import type { MigrationStep } from './migration-step.js';
import { findPending, type WantedDatabase } from './pending-migrations.js';

export interface MigrateOptions {
  /** Whether to run contract steps too. Only the operator knows that older versions are no longer needed. */
  contract: boolean;
  /** Receives one line for each change made, and one line when this gateway starts waiting for another gateway. */
  report: (line: string) => void;
  /** How long to wait before taking over from a gateway that died, milliseconds. */
  leaseMs?: number;
}

const LEASE_MS = 15_000;
const LOOK_AGAIN_MS = 250;

/**
 * Makes the collections, indexes and steps that this version needs. If several gateways start at once, one of them
 * migrates and the others wait. If that gateway dies, another one takes over when the lease expires.
 * @throws DatabaseTooNew before anything changes; IndexConflict; errors of a step
 */
export async function migrate(
  connection: Connection,
  wanted: WantedDatabase,
  { contract, report, leaseMs = LEASE_MS }: MigrateOptions,
): Promise<void> {
  const record = createMigrationRecord(connection);

  async function look(): Promise<{ gaps: Gap[]; steps: MigrationStep[] }> {
    const { gaps, steps, contractSteps } = await findPending(connection, wanted);
    return { gaps, steps: contract ? [...steps, ...contractSteps] : steps };
  }

  async function runStep(step: MigrationStep, { fence, signal }: MigrationLease): Promise<void> {
    const { id, name, run, ...kind } = step;
    const from = performance.now();
    signal.throwIfAborted();
    await run(connection, signal);
    const tookMs = Math.round(performance.now() - from);
    const ran = { id, name, ...kind, version: wanted.version, by: ME, at: new Date(), tookMs };
    if (!(await record.add(fence, ran))) throw new LeaseLost();
    report(`Applied migration ${id} (${name}) in ${tookMs} ms`);
  }

  async function work(lease: MigrationLease): Promise<void> {
    // Look again under the lease: the previous holder may have made some of the changes.
    const { gaps, steps } = await look();
    await closeGaps(connection, gaps, report);
    for (const step of steps) await runStep(step, lease);
  }

  let isWaiting = false;
  for (;;) {
    const { gaps, steps } = await look();
    if (gaps.length + steps.length === 0) return;
    if (await underLease(record, leaseMs, work)) return;
    if (!isWaiting)
      report(`Waiting for ${(await record.holder()) ?? 'another gateway'}, which prepares the database`);
    isWaiting = true;
    await delay(LOOK_AGAIN_MS);
  }
}

/** Collections with documents are done one at a time, because an index build reads every document. */
async function closeGaps(
  connection: Connection,
  gaps: readonly Gap[],
  report: (line: string) => void,
): Promise<void> {
  const db = connection.getClient().db(connection.name);
  const isNew = (gap: Gap) =>
    gaps.some(({ kind, collection }) => kind === 'collection' && collection === gap.collection);
  const close = (gap: Gap) => closeGap(db, gap);
  await twoAtATime(
    gaps.filter(({ kind }) => kind === 'collection'),
    close,
  );
  await twoAtATime(
    gaps.filter((gap) => gap.kind !== 'collection' && isNew(gap)),
    close,
  );
  for (const gap of gaps.filter((each) => !isNew(each))) {
    const documents = await db.collection(gap.collection).estimatedDocumentCount();
    report(`${describeGap(gap)}, over about ${documents} documents`);
    await close(gap);
  }
}

/** Identifies this process as a lease holder, in log lines. */
const ME = `${hostname()}, process ${process.pid}`;

/** Another gateway took the lease because this gateway did not renew it in time. */
class LeaseLost extends Error {}

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
async function underLease(
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
