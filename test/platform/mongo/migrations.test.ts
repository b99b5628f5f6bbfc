import type { Connection } from 'mongoose';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { createMigrationRecord } from '../../../src/platform/mongo/migration-record.js';
import type { MigrationStep, StepKind } from '../../../src/platform/mongo/migration-step.js';
import { migrate, type MigrateOptions } from '../../../src/platform/mongo/migrations.js';
import { checkMigrations, type WantedDatabase } from '../../../src/platform/mongo/pending-migrations.js';
import { freshDatabase } from '../../support/database.js';

let database: ReturnType<typeof freshDatabase>;
let connection: Connection;
let ran: string[];
let reported: string[];
beforeEach(async () => {
  database = freshDatabase();
  connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  ran = [];
  reported = [];
});
afterEach(async () => {
  await connection.close();
  await database.drop();
});

type Run = MigrationStep['run'];

/** A step that says that it ran. */
function step(
  id: number,
  run: Run = () => Promise.resolve(),
  kind: StepKind = { kind: 'expand' },
): MigrationStep {
  return {
    id,
    name: `step number ${id}`,
    ...kind,
    async run(...args) {
      await run(...args);
      ran.push(`${id}`);
    },
  };
}

const contractStep = (id: number) => step(id, undefined, { kind: 'contract', worksFrom: '1.2.0' });

function wanted(steps: readonly MigrationStep[], version = '1.3.0'): WantedDatabase {
  return { version, steps, collections: [{ name: 'things', indexes: [{ name: 'a_1', key: { a: 1 } }] }] };
}

const run = (steps: readonly MigrationStep[], options: Partial<MigrateOptions> = {}) =>
  migrate(connection, wanted(steps), {
    contract: false,
    report: (line) => void reported.push(line),
    ...options,
  });

const recorded = () => createMigrationRecord(connection).steps();

test('each step runs once, in its order, and is recorded with the version that ran it', async () => {
  await run([step(1), step(2)]);
  await run([step(1), step(2), step(3)]);
  expect(ran).toEqual(['1', '2', '3']);
  expect(await recorded()).toMatchObject([
    { id: 1, name: 'step number 1', kind: 'expand', version: '1.3.0' },
    { id: 2 },
    { id: 3 },
  ]);
  expect(reported).toHaveLength(3);
});

test('a database with many collections is prepared and compared over few connections', async () => {
  let opened = 0;
  connection.getClient().on('connectionCreated', () => (opened += 1));
  const collections = Array.from({ length: 20 }, (_, i) => ({
    name: `things${i}`,
    indexes: [{ name: 'a_1', key: { a: 1 as const } }],
  }));
  const many = { version: '1.3.0', steps: [], collections };
  for (let times = 0; times < 2; times += 1)
    await migrate(connection, many, { contract: false, report: (line) => void reported.push(line) });
  expect((await connection.listCollections()).map(({ name }) => name)).toHaveLength(21);
  expect(reported).toEqual([]);
  // One renews the lease.
  expect(opened).toBeLessThanOrEqual(3);
});

test('of many that start at once one does it; the others go on when it is done', async () => {
  let isDone = false;
  const slow = step(1, async () => {
    await connection.collection('things').insertOne({});
    isDone = true;
  });
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      await run([slow, step(2)]);
      expect(isDone).toBe(true);
    }),
  );
  expect(ran).toEqual(['1', '2']);
});

test('a step that fails stops what follows, and is tried again by the next start at once', async () => {
  const failing = step(2, () => Promise.reject(new Error('the disk is full')));
  await expect(run([step(1), failing, step(3)])).rejects.toThrow('the disk is full');
  expect(ran).toEqual(['1']);
  await run([step(1), step(2), step(3)]);
  expect(ran).toEqual(['1', '2', '3']);
});

test('what has died amid a step is waited for until its lease ends; then another one does it', async () => {
  const dead = createMigrationRecord(connection);
  const fence = await dead.take('the one that died', 1000);
  await run([step(1)]);
  expect(ran).toEqual(['1']);
  expect(reported).toContain('Waiting for the one that died, which prepares the database');
  // Should it only have been paused: it can record nothing any more.
  const late = { id: 2, name: '', kind: 'expand', version: '', by: '', at: new Date(), tookMs: 1 } as const;
  expect(await dead.add(fence ?? 0, late)).toBe(false);
  expect(await dead.renew(fence ?? 0, 1000)).toBe(false);
});

test('one that was paused past its lease learns of it, records nothing, and waits like all others', async () => {
  const setup = connection.collection<{ _id: string }>('setup');
  const paused = step(1, async (_connection, signal) => {
    if (ran.length > 0) return;
    ran.push('paused');
    // As if no renewal had arrived for the time of a lease, and another one had come by.
    await setup.updateOne({ _id: 'migrations' }, { $set: { leaseUntil: new Date(0) }, $inc: { fence: 1 } });
    await run([step(1)]);
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    signal.throwIfAborted();
  });
  await run([paused], { leaseMs: 600 });
  expect(ran).toEqual(['paused', '1']);
  expect(await recorded()).toHaveLength(1);
});

test('one whose step did not look at its signal runs no further one without the lease, and waits for the other', async () => {
  const other = createMigrationRecord(connection);
  const setup = connection.collection<{ _id: string }>('setup');
  const heedless = step(1, async () => {
    if (ran.length > 0) return;
    await setup.updateOne({ _id: 'migrations' }, { $set: { leaseUntil: new Date(0) } });
    expect(await other.take('the other', 1000)).toBeDefined();
  });
  await run([heedless, step(2)]);
  expect(reported).toContain('Waiting for the other, which prepares the database');
  expect(ran).toEqual(['1', '1', '2']);
  expect(await recorded()).toMatchObject([{ id: 1 }, { id: 2 }]);
});

test('contract steps run only when they are asked for', async () => {
  const steps = [step(1), contractStep(2), step(3)];
  await run(steps);
  expect(ran).toEqual(['1', '3']);
  expect(await checkMigrations(connection, wanted(steps))).toEqual({
    ready: true,
    check: 'ok: a migration waits for `pets-gateway migrate --contract`',
  });
  // Of a step that adds, too, where another start has not come to it yet.
  expect(await checkMigrations(connection, wanted([...steps, step(4)]))).toEqual({
    ready: true,
    check: 'ok: the next start applies a pending migration',
  });
  await run(steps, { contract: true });
  expect(ran).toEqual(['1', '3', '2']);
  expect(await checkMigrations(connection, wanted(steps))).toEqual({ ready: true, check: 'ok' });
});

describe('a version that is older than the database', () => {
  const older = wanted([step(1)], '1.1.0');
  const start = () => migrate(connection, older, { contract: false, report: () => undefined });

  test('works beside what a newer one has added, and says so', async () => {
    await run([step(1), step(2)]);
    await start();
    expect(await checkMigrations(connection, older)).toEqual({
      ready: true,
      check: 'ok: a newer version extended the database in a compatible way',
    });
  });

  test('refuses to start once a newer one has taken away what it needs; if it runs, it is not ready', async () => {
    await run([step(1), contractStep(2)], { contract: true });
    await connection.collection('things').drop();
    await expect(start()).rejects.toThrow(
      /requires version 1\.2\.0 or newer, and this is 1\.1\.0: version 1\.3\.0 applied migration 2 .*changed nothing/,
    );
    expect(await connection.db?.listCollections({ name: 'things' }).toArray()).toEqual([]);
    // Clients without a key may ask: no version, and no name of a step.
    expect(await checkMigrations(connection, older)).toEqual({
      ready: false,
      check: 'the database requires a newer version of the gateway: see `pets-gateway doctor`',
    });
  });
});
