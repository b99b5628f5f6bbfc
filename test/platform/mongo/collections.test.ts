import os from 'node:os';
import { mongo } from 'mongoose';
import type { CollectionShape, WantedIndex } from '../../../src/platform/mongo/collection-shape.js';
import { closeGap, describeGap, findGaps } from '../../../src/platform/mongo/collections.js';
import { freshDatabase } from '../../support/database.js';

const database = freshDatabase();
const client = new mongo.MongoClient(database.uri, { runtimeAdapters: { os } });
const db = client.db(database.dbName);
afterAll(async () => {
  await client.close();
  await database.drop();
});
beforeEach(() => db.dropDatabase());

const things = (...indexes: WantedIndex[]): CollectionShape[] => [{ name: 'things', indexes }];
const BY_AGE: WantedIndex = { name: 'age_1', key: { age: 1 } };
const EXPIRING: WantedIndex = { name: 'at_1', key: { at: 1 }, expireAfterSeconds: 60 };

/** What was missing, after it was made. */
async function make(shapes: CollectionShape[], on: mongo.Db = db): Promise<string[]> {
  const gaps = await findGaps(db, shapes);
  for (const gap of gaps) await closeGap(on, gap);
  return gaps.map(describeGap);
}
const indexes = async () => (await db.collection('things').indexes()).slice(1);

test('creates what is missing, and keeps what exists', async () => {
  await db.collection('things').createIndexes([{ key: { own: 1 }, name: 'of an operator' }]);
  const partial = {
    name: 'p',
    key: { a: 1, b: -1 },
    partialFilterExpression: { a: { $exists: true } },
  } as const;
  const all = things(BY_AGE, EXPIRING, { ...partial, unique: true });
  expect(await make([...all, { name: 'empty', indexes: [] }])).toEqual([
    'indexes age_1, at_1, p of things',
    'collection empty',
  ]);
  expect(await make([...all, { name: 'empty', indexes: [] }])).toEqual([]);
  expect(await indexes()).toMatchObject([
    { name: 'of an operator' },
    BY_AGE,
    EXPIRING,
    { ...partial, unique: true },
  ]);
});

test('changes an expiry in place, without rebuilding the index', async () => {
  await make(things(EXPIRING));
  expect(await make(things({ ...EXPIRING, expireAfterSeconds: 3600 }))).toEqual([
    'expiry of the index at_1 of things',
  ]);
  expect(await indexes()).toMatchObject([{ name: 'at_1', expireAfterSeconds: 3600 }]);
});

test.each<[string, WantedIndex, WantedIndex]>([
  ['other fields', BY_AGE, { ...BY_AGE, key: { years: 1 } }],
  ['another order of fields', { name: 'n', key: { a: 1, b: 1 } }, { name: 'n', key: { b: 1, a: 1 } }],
  ['another direction', { name: 'n', key: { a: 1 } }, { name: 'n', key: { a: -1 } }],
  ['uniqueness', BY_AGE, { ...BY_AGE, unique: true }],
  ['an expiry where there was none', BY_AGE, { ...BY_AGE, expireAfterSeconds: 1 }],
  ['another name', BY_AGE, { ...BY_AGE, name: 'by_age' }],
])('an index with %s is an error that names both, and nothing is dropped', async (_what, there, needed) => {
  await make(things(there));
  await expect(make(things(needed))).rejects.toThrow(
    /^The collection things has another index than the one this version needs. Needed: \{.*\}; found: .*Drop that index/,
  );
  expect(await indexes()).toMatchObject([there]);
});

test('a unique index that the documents do not allow says which ones', async () => {
  await db.collection('things').insertMany([{ age: 7 }, { age: 7 }]);
  await expect(make(things({ ...BY_AGE, unique: true }))).rejects.toThrow(
    /Cannot build a unique index on things: .*dup key: \{ age: 7 \}/,
  );
});

test('an index of many documents is waited for, however early the driver gives up its connection', async () => {
  for (let i = 0; i < 4; i++)
    await db
      .collection('things')
      .insertMany(Array.from({ length: 10_000 }, (_, age) => ({ age, of: `${i} ${age}` })));
  const impatient = new mongo.MongoClient(database.uri, {
    socketTimeoutMS: 20,
    monitorCommands: true,
    runtimeAdapters: { os },
  });
  let asked = 0;
  impatient.on('commandStarted', ({ commandName }) => (asked += Number(commandName === 'createIndexes')));
  try {
    const many = Array.from(
      { length: 6 },
      (_, i) => ({ name: `n${i}`, key: { of: 1, [`f${i}`]: 1 } }) as const,
    );
    await make(things(...many), impatient.db(database.dbName));
    expect(await findGaps(db, things(...many))).toEqual([]);
    expect(asked).toBeGreaterThan(1);
  } finally {
    await impatient.close();
  }
});
