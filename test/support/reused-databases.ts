import { randomUUID } from 'node:crypto';
import type { Connection, mongo } from 'mongoose';
import type { WantedDatabase } from '../../src/platform/mongo/pending-migrations.js';

/** The collection of the record of migrations. */
const RECORD = 'setup';

interface MigrationRecord {
  fence: number | bigint;
  leaseUntil?: Date;
  steps: { id: number | bigint }[];
}

/**
 * Databases of gateways that are closed, by the names of their collections. To make the collections and indexes of a
 * gateway takes mongod 150 ms of processor time, to empty them 10 ms. The environment of the files keeps them for all
 * files of a process (compile-once.cjs).
 */
const free = globalThis.freeDatabases;
/** How many gateways of this file use a database that `takeDatabase` has given. */
const users = new Map<string, number>();

/** The name of a database that nothing else uses. Its collections may exist already: see `emptyDatabase`. */
export function takeDatabase(wanted: WantedDatabase): string {
  const name = free.get(kindOf(wanted))?.pop() ?? `test-${randomUUID()}`;
  users.set(name, 1);
  return name;
}

/** Counts one more gateway on this database. */
export function shareDatabase(name: string): void {
  const count = users.get(name);
  if (count !== undefined) users.set(name, count + 1);
}

/**
 * Counts one gateway less; the last one frees the database. Call it once the connection of the gateway is closed:
 * otherwise, its last commands could arrive after the next gateway has emptied the database.
 */
export function leaveDatabase(name: string, wanted: WantedDatabase): void {
  const count = users.get(name);
  if (count === undefined) return;
  users.set(name, count - 1);
  if (count > 1) return;
  users.delete(name);
  const kind = kindOf(wanted);
  free.set(kind, [...(free.get(kind) ?? []), name]);
}

/**
 * Leaves the database as a new one that is prepared: without documents, other collections and a profiler. Drops the
 * database if a test changed its indexes or options, and the record of migrations if it is not that of one start.
 */
export async function emptyDatabase(
  connection: Connection,
  { collections, steps }: WantedDatabase,
): Promise<void> {
  const db = connection.getClient().db(connection.name);
  const found = await db.listCollections<mongo.CollectionInfo>().toArray();
  if (found.length === 0) return;
  // The settings of the profiler outlive the database.
  if (found.some(({ name }) => name === 'system.profile')) await db.command({ profile: 0, filter: 'unset' });
  const isWanted = (name: string) => collections.some((each) => each.name === name);
  const record = await db.collection<MigrationRecord>(RECORD).findOne();
  const isRecordKept = record !== null && isOfOneStart(record, steps);
  const clear = async ({ name }: { name: string }) => {
    if (isWanted(name)) await db.collection(name).deleteMany({});
    else if (name !== RECORD || !isRecordKept) await db.dropCollection(name);
  };
  await Promise.all(found.map(clear));
  const { indexes } = await db.stats();
  const expected = collections.reduce(
    (count, shape) => count + 1 + shape.indexes.length,
    isRecordKept ? 1 : 0,
  );
  const hasOptions = found.some(
    ({ name, options = {} }) => isWanted(name) && Object.keys(options).length > 0,
  );
  if (hasOptions || Number(indexes) !== expected) await db.dropDatabase();
}

function isOfOneStart(
  { fence, leaseUntil, steps }: MigrationRecord,
  wanted: WantedDatabase['steps'],
): boolean {
  const ids = steps.map(({ id }) => Number(id));
  return Number(fence) === 1 && leaseUntil === undefined && ids.join() === wanted.map(({ id }) => id).join();
}

function kindOf({ collections }: WantedDatabase): string {
  return collections.map(({ name }) => name).join();
}
