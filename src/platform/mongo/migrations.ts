import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { closeGap, describeGap, type Gap } from './collections.js';
import { LeaseLost, ME, underLease, type MigrationLease } from './migration-lease.js';
import { createMigrationRecord } from './migration-record.js';
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
    report(`step ${id} has run in ${tookMs} ms: ${name}`);
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
      report(`${(await record.holder()) ?? 'another gateway'} prepares the database; waiting for it`);
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
  await Promise.all(gaps.filter(({ kind }) => kind === 'collection').map((gap) => closeGap(db, gap)));
  await Promise.all(
    gaps.filter((gap) => gap.kind !== 'collection' && isNew(gap)).map((gap) => closeGap(db, gap)),
  );
  for (const gap of gaps.filter((each) => !isNew(each))) {
    const documents = await db.collection(gap.collection).estimatedDocumentCount();
    report(`${describeGap(gap)}, over about ${documents} documents`);
    await closeGap(db, gap);
  }
}
