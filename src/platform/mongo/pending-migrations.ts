import type { Connection } from 'mongoose';
import type { CollectionShape } from './collection-shape.js';
import { findGaps, type Gap } from './collections.js';
import { createMigrationRecord, type RanStep } from './migration-record.js';
import type { MigrationStep } from './migration-step.js';

/** The collections and steps that this version needs. */
export interface WantedDatabase {
  /** The version of the gateway. */
  version: string;
  collections: readonly CollectionShape[];
  /** In the order in which they run. */
  steps: readonly MigrationStep[];
}

export interface Pending {
  gaps: Gap[];
  steps: MigrationStep[];
  /** Steps that run only on request. */
  contractSteps: MigrationStep[];
}

/** A newer version changed the database in a way that this version cannot work with. */
export class DatabaseTooNew extends Error {
  override readonly name = 'DatabaseTooNew';
}

/** @throws DatabaseTooNew; IndexConflict */
export async function findPending(connection: Connection, wanted: WantedDatabase): Promise<Pending> {
  const ran = await createMigrationRecord(connection).steps();
  const reason = whyTooNew(ran, wanted);
  if (reason !== undefined)
    throw new DatabaseTooNew(
      `The database ${connection.name} ${reason} Start such a version, or restore a backup from before that migration ` +
        'into another database. The gateway changed nothing.',
    );
  const notYet = stepsToRun(ran, wanted);
  return {
    gaps: await findGaps(connection.getClient().db(connection.name), wanted.collections),
    steps: notYet.filter(({ kind }) => kind === 'expand'),
    contractSteps: notYet.filter(({ kind }) => kind === 'contract'),
  };
}

/** Whether the database is unused: none of the wanted collections exists. */
export function isNewDatabase({ gaps }: Pending, { collections }: WantedDatabase): boolean {
  return gaps.filter(({ kind }) => kind === 'collection').length === collections.length;
}

type Versioned = Pick<WantedDatabase, 'steps' | 'version'>;

/**
 * The migration check of a running gateway's readiness, for operators. `check` is or ends
 * with `ok`, unless a newer version has made the database unusable for this one (`ready` is false).
 */
export async function checkMigrations(
  connection: Connection,
  wanted: Versioned,
): Promise<{ ready: boolean; check: string }> {
  const ran = await createMigrationRecord(connection).steps();
  if (whyTooNew(ran, wanted) !== undefined)
    return {
      ready: false,
      check: 'the database requires a newer version of the gateway: see `pets-gateway doctor`',
    };
  if (newerSteps(ran, wanted).length > 0)
    return { ready: true, check: 'ok: a newer version extended the database in a compatible way' };
  const pending = stepsToRun(ran, wanted);
  if (pending.some(({ kind }) => kind === 'expand'))
    return { ready: true, check: 'ok: the next start applies a pending migration' };
  return {
    ready: true,
    check: pending.length === 0 ? 'ok' : 'ok: a migration waits for `pets-gateway migrate --contract`',
  };
}

function stepsToRun(ran: readonly RanStep[], { steps }: Pick<WantedDatabase, 'steps'>): MigrationStep[] {
  return steps.filter(({ id }) => !ran.some((step) => step.id === id));
}

function newerSteps(ran: readonly RanStep[], { steps }: Versioned): RanStep[] {
  return ran.filter(({ id }) => !steps.some((step) => step.id === id));
}

function whyTooNew(ran: readonly RanStep[], wanted: Versioned): string | undefined {
  for (const step of newerSteps(ran, wanted))
    if (step.kind === 'contract')
      return (
        `requires version ${step.worksFrom} or newer, and this is ${wanted.version}: ` +
        `version ${step.version} applied migration ${step.id} (${step.name}).`
      );
  return undefined;
}
