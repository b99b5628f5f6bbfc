import type { Connection } from 'mongoose';
import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { createMongoStrikesStore } from '../../../src/features/quotas/mongo-strikes-store.js';
import type { StrikesStore } from '../../../src/features/quotas/strikes-store.js';
import { freshDatabase } from '../../support/database.js';
import { prepared } from '../../support/prepared.js';

const policy = { strikes: 10, strikeWindowSeconds: 300, banSeconds: 60, maxBanSeconds: 3600 };
const FIRST_SECOND = 1_876_219_200;

const database = freshDatabase();
let connection: Connection;
let store: StrikesStore;

beforeAll(async () => {
  connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  store = createMongoStrikesStore(await prepared(connection), policy);
});
afterAll(async () => {
  await connection.close();
  await database.drop();
});

async function bansAt(keyId: string, seconds: readonly number[]): Promise<number[]> {
  const bans: number[] = [];
  for (const second of seconds) if (await store.add(keyId, FIRST_SECOND + second)) bans.push(second);
  return bans;
}
const range = (length: number, step = 1) => Array.from({ length }, (_, i) => i * step);

describe('strikes in MongoDB', () => {
  test('the eleventh in five minutes bans; then counting starts over', async () => {
    expect(await bansAt('eleven', range(22))).toEqual([10, 21]);
  });

  test('those older than five minutes count no more', async () => {
    expect(await bansAt('slow', range(40, 30))).toEqual([]);
    expect(await bansAt('just fast enough', range(11, 29))).toEqual([290]);
  });

  test('one second counts once, whichever processes saw it', async () => {
    expect(await bansAt('busy second', Array<number>(50).fill(0))).toEqual([]);
  });

  test('exactly one of many concurrent callers starts the ban', async () => {
    for (let round = 0; round < 10; round++) {
      const keyId = `race ${round}`;
      await bansAt(keyId, range(10));
      const answers = await Promise.all(range(20).map(() => store.add(keyId, FIRST_SECOND + 10)));
      expect(answers.filter(Boolean)).toHaveLength(1);
    }
  });

  test('exactly one of many concurrent callers starts the ban, if all strikes are new', async () => {
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        range(11).map((second) => store.add(`new ${round}`, FIRST_SECOND + second)),
      );
      expect(answers.filter(Boolean)).toHaveLength(1);
    }
  });
});
