import type { mongo } from 'mongoose';
import type { Connection } from 'mongoose';
import { NO_RESETS, wholeWindowMs } from '../../../src/features/plans/window.js';
import { MINUTE_MS } from '../../../src/lib/clock.js';
import {
  createMongoQuotaStore,
  QUOTAS_COLLECTION,
  type QuotaDocument,
} from '../../../src/features/limiter/mongo-quota-store.js';
import { QuotaStoreError } from '../../../src/features/limiter/limiter.js';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { freshMeter, meterOf } from '../../contract/limiter.js';
import { freshDatabase } from '../../support/database.js';
import { prepared } from '../../support/prepared.js';

/** What stands in MongoDB, by its own clock. What a limiter makes of it: limiter-over-mongodb.test.ts. */
const database = freshDatabase();
let connection: Connection;
let commands: mongo.CommandStartedEvent[];

const connect = () =>
  connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
    monitorCommands: true,
  });
const documents = () => connection.collection<QuotaDocument>(QUOTAS_COLLECTION);
const names = () => commands.map(({ commandName }) => commandName);

beforeAll(async () => {
  connection = await prepared(await connect());
  connection.getClient().on('commandStarted', (event) => {
    if (String(event.command[event.commandName]).startsWith('quota')) commands.push(event);
  });
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});
beforeEach(() => {
  commands = [];
});

test('a key is one document, with both windows by the clock of MongoDB', async () => {
  const meter = freshMeter(60, 1000);
  const { free, windows } = await createMongoQuotaStore(connection).decide(meter, [3, 4]);
  expect([free, windows.map(({ consumedPoints }) => consumedPoints)]).toEqual([60, [7, 7]]);
  const stored = await documents().findOne({ _id: meter.id });
  if (stored?.m === undefined || stored.d === undefined) throw new Error('both windows are stored');
  expect(stored.m.e.getTime() - stored.t.getTime()).toBe(MINUTE_MS);
  expect(stored.d.e.getTime() - stored.t.getTime()).toBe(wholeWindowMs('day', stored.t.getTime()));
  expect(stored.x.getTime()).toBeGreaterThan(stored.d.e.getTime());
  expect(Object.keys(stored.o ?? {})).toHaveLength(1);
});

test('a charge alone is one command; many together are one update and one query, durable on a majority', async () => {
  const store = createMongoQuotaStore(connection);
  const meters = Array.from({ length: 50 }, () => freshMeter(60, 1000));
  commands = [];
  const outcomes = await Promise.all(meters.map((meter) => store.decide(meter, [1])));
  expect(outcomes.map(({ free }) => free)).toEqual(meters.map(() => 60));
  expect(names()).toEqual(['update', 'find']);
  await store.decide(freshMeter(60, 1000), [1]);
  expect(names()).toEqual(['update', 'find', 'findAndModify']);
  for (const { command } of [commands[0], commands[2]].filter((one) => one !== undefined))
    expect(command).toMatchObject({ writeConcern: { w: 'majority', j: true } });
  expect(commands[0]?.command['updates']).toHaveLength(50);
});

test('two charges of a key that wait together are decided one after the other', async () => {
  const store = createMongoQuotaStore(connection);
  const meter = freshMeter(10, 1000);
  const upgraded = meterOf(meter.id, 20, 1000);
  const outcomes = await Promise.all([
    store.decide(meter, [1]),
    store.decide(meter, [4]),
    store.decide(upgraded, [4]),
  ]);
  expect(outcomes.map(({ free }) => free)).toEqual([10, 9, 15]);
});

test.each([
  [1, 'findAndModify'],
  [2, 'update'],
])('a change of %d keys that reaches MongoDB again counts once', async (count, name) => {
  const store = createMongoQuotaStore(connection);
  const meters = Array.from({ length: count }, () => freshMeter(10, 1000));
  await Promise.all(meters.map((meter) => store.decide(meter, [3])));
  const sent = commands.find(({ commandName }) => commandName === name)?.command;
  if (sent === undefined) throw new Error('a change was sent');
  const { lsid: _lsid, txnNumber: _txnNumber, $clusterTime: _clusterTime, $db: _db, ...again } = sent;
  await connection.db?.command(again);
  const counts = await store.read(meters);
  expect(counts.map(([minute]) => minute?.consumedPoints)).toEqual(meters.map(() => 3));
});

test('processes that make the document of a key at the same time all count in it', async () => {
  for (let round = 0; round < 5; round++) {
    const meter = freshMeter(60, 1000);
    const stores = Array.from({ length: 8 }, () => createMongoQuotaStore(connection));
    await Promise.all(stores.map((store) => store.decide(meter, [2])));
    expect(await documents().findOne({ _id: meter.id })).toMatchObject({ m: { u: 16 }, d: { u: 16 } });
  }
});

test('a hundred processes that charge one key at the same time all get their outcome', async () => {
  const meter = freshMeter(75, 1000);
  const stores = Array.from({ length: 100 }, () => createMongoQuotaStore(connection));
  // One charge of each: where the first of two takes 2 s, the second overtakes it, and the first is without an outcome.
  const decisions = await Promise.all(stores.map((store) => store.decide(meter, [1])));
  expect(decisions.filter(({ free }) => free > 0)).toHaveLength(75);
});

test('a document remembers the processes of the last ten minutes', async () => {
  const meter = freshMeter(60, 1000);
  let now = new Date();
  const charge = () => createMongoQuotaStore(connection, () => now).decide(meter, [1]);
  for (let i = 0; i < 5; i++) await charge();
  now = new Date(now.getTime() + 10 * MINUTE_MS + 1);
  await charge();
  const stored = await documents().findOne({ _id: meter.id });
  expect(Object.keys(stored?.o ?? {})).toHaveLength(1);
});

test('a key whose windows run is charged by a small update, and by the full one where that does not fit', async () => {
  const store = createMongoQuotaStore(connection);
  const meters = Array.from({ length: 3 }, () => freshMeter(10, 1000));
  const first = await Promise.all(meters.map((meter) => store.decide(meter, [4])));
  const [charged, spent, reset] = meters.map(({ id }) => meterOf(id, 10, 1000));
  if (charged === undefined || spent === undefined || reset === undefined) throw new Error('three meters');
  // Another process leaves less than this one knows, and a window ends.
  await createMongoQuotaStore(connection).decide(spent, [5]);
  await documents().updateOne({ _id: reset.id }, { $set: { 'm.e': new Date(0) } });
  commands = [];
  const outcomes = await Promise.all(
    [charged, spent, reset].map((meter, i) => store.decide(meter, [2, 1], first[i]?.windows)),
  );
  expect(outcomes.map(({ free, windows }) => [free >= 3, windows[0]?.consumedPoints])).toEqual([
    [true, 7],
    [false, 10],
    [true, 3],
  ]);
  expect(names()).toEqual(['update', 'find', 'update', 'find']);
  expect(commands.map(({ command }) => (command['updates'] as unknown[] | undefined)?.length)).toEqual([
    3,
    undefined,
    2,
    undefined,
  ]);
});

test('a small update counts a charge once, however often it reaches MongoDB', async () => {
  const store = createMongoQuotaStore(connection);
  const meter = freshMeter(10, 1000);
  const { windows } = await store.decide(meter, [3]);
  commands = [];
  await store.decide(meter, [2], windows);
  const [sent] = commands;
  if (sent === undefined) throw new Error('a change was sent');
  const { lsid: _lsid, $clusterTime: _clusterTime, $db: _db, ...again } = sent.command;
  await connection.db?.command(again);
  expect((await store.read([meter]))[0]?.map(({ consumedPoints }) => consumedPoints)).toEqual([5, 5]);
});

test('a document that cannot be counted fails its own charge, and no other of the batch', async () => {
  const store = createMongoQuotaStore(connection);
  const [broken, sound] = [freshMeter(10, 1000), freshMeter(10, 1000)];
  await Promise.all([broken, sound].map((meter) => store.decide(meter, [1])));
  await documents().updateOne({ _id: broken.id }, { $set: { 'm.u': 'many' } });
  const [failed, counted] = await Promise.allSettled(
    [broken, sound].map((meter) => store.decide(meter, [1])),
  );
  expect(failed).toMatchObject({ status: 'rejected', reason: expect.any(QuotaStoreError) as unknown });
  expect(counted).toMatchObject({ status: 'fulfilled', value: { free: 9 } });
});

test('counts of keys that are no more are removed, and no other', async () => {
  const store = createMongoQuotaStore(connection);
  const [gone, stays] = [freshMeter(60, 1000), freshMeter(60, 1000)];
  await Promise.all([store.decide(gone, [1]), store.decide(stays, [1])]);
  await store.remove([{ id: gone.id, epochs: NO_RESETS }]);
  expect(
    (
      await documents()
        .find({ _id: { $in: [gone.id, stays.id] } })
        .toArray()
    ).map(({ _id }) => _id),
  ).toEqual([stays.id]);
});

test('what fails is the store, whatever it was asked', async () => {
  const lost = await connect();
  const failing = createMongoQuotaStore(lost);
  await lost.close();
  const meter = freshMeter(60, 1000);
  const refused = expect.any(QuotaStoreError) as unknown;
  await expect(failing.decide(meter, [1])).rejects.toEqual(refused);
  await expect(failing.add(meter, [1, 1], [1000, 1000])).rejects.toEqual(refused);
  await expect(failing.read([meter])).rejects.toEqual(refused);
});
