import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { closeGap, describeGap, type Gap } from './collections.js';
import { LeaseLost, ME, underLease, type MigrationLease } from './migration-lease.js';
import { createMigrationRecord } from './migration-record.js';
import type { MigrationStep } from './migration-step.js';
import { findPending, type WantedDatabase } from './pending-migrations.js';

export interface MigrateOptions {
  /** Contract steps too: only who runs the gateways knows that no older version is needed any more. */
  contract: boolean;
  /** Receives one line for each thing that was done, or is waited for. */
  report: (line: string) => void;
  /** How long a gateway that has died is waited for, milliseconds. */
  leaseMs?: number;
}

const LEASE_MS = 15_000;
const LOOK_AGAIN_MS = 250;

/**
 * Makes the database what this version wants. Of several gateways that start at once one does it, and the others wait;
 * when it dies, another takes over after its lease.
 * @throws DatabaseTooNew before anything is changed; IndexConflict; what a step throws
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
    // Not what was seen before: whoever had the lease may have done it.
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

/** One collection after the other where there are documents: an index build reads all of them. */
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
