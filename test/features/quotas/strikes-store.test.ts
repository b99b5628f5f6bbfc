import {
  createMongoStrikesStore,
  strikesCollection,
} from '../../../src/features/quotas/mongo-strikes-store.js';
import type { StrikesStore } from '../../../src/features/quotas/strikes-store.js';
import { makeCollections } from '../../support/make-collections.js';
import { useRawDatabase } from '../../support/use-raw-database.js';

const policy = {
  loopSeconds: 24,
  strikes: 10,
  strikeWindowSeconds: 300,
  banSeconds: 60,
  maxBanSeconds: 3600,
};
/** Seconds of a loop before its first strike: 22 of 24 make one. */
const BEFORE_FIRST = 21;
const FIRST_SECOND = 1_876_219_200;

const { raw } = useRawDatabase();
let store: StrikesStore;

beforeAll(async () => {
  store = createMongoStrikesStore(await makeCollections(raw(), strikesCollection), policy);
});

async function bansAt(keyId: string, seconds: readonly number[]): Promise<number[]> {
  const bans: number[] = [];
  for (const second of seconds) if ((await store.add(keyId, FIRST_SECOND + second)).bans) bans.push(second);
  return bans;
}
async function strikesAfter(keyId: string, seconds: readonly number[]): Promise<number> {
  let strikes = 0;
  for (const second of seconds) ({ strikes } = await store.add(keyId, FIRST_SECOND + second));
  return strikes;
}
const range = (length: number, step = 1) => Array.from({ length }, (_, i) => i * step);

describe('strikes in MongoDB', () => {
  test('begin once early retries fill 22 of 24 seconds', async () => {
    expect(await strikesAfter('loop', range(21))).toBe(0);
    expect(await strikesAfter('loop', [21])).toBe(1);
    expect(await strikesAfter('gaps', [...range(11), ...range(11).map((i) => i + 13)])).toBe(1);
    expect(await strikesAfter('wider gaps', [...range(11), ...range(11).map((i) => i + 14)])).toBe(0);
  });

  test('end with the first pause of three seconds', async () => {
    expect(await strikesAfter('pause', range(30))).toBe(9);
    expect(await strikesAfter('pause', [33, 34, 35])).toBe(9);
  });

  test('of clients that send less often never begin', async () => {
    expect(await strikesAfter('every other second', range(300, 2))).toBe(0);
  });

  test('the eleventh in five minutes bans; then counting starts over', async () => {
    expect(await bansAt('eleven', range(2 * (BEFORE_FIRST + 11)))).toEqual([
      BEFORE_FIRST + 10,
      2 * (BEFORE_FIRST + 11) - 1,
    ]);
  });

  test('those older than five minutes count no more', async () => {
    const loops = [0, 150, 301].map((start) => range(BEFORE_FIRST + 5).map((second) => start + second));
    expect(await bansAt('slow', loops.flat())).toEqual([]);
    const sooner = [0, 100, 200].map((start) => range(BEFORE_FIRST + 5).map((second) => start + second));
    expect(await bansAt('fast', sooner.flat())).toEqual([200 + BEFORE_FIRST]);
  });

  test('one second counts once, whichever processes saw it', async () => {
    const seconds = range(BEFORE_FIRST + 1).flatMap((second) => [second, second, second]);
    expect(await strikesAfter('busy seconds', seconds)).toBe(1);
  });

  test('exactly one of many concurrent callers starts the ban', async () => {
    for (let round = 0; round < 10; round++) {
      const keyId = `race ${round}`;
      await bansAt(keyId, range(BEFORE_FIRST + 10));
      const answers = await Promise.all(
        range(20).map(() => store.add(keyId, FIRST_SECOND + BEFORE_FIRST + 10)),
      );
      expect(answers.filter(({ bans }) => bans)).toHaveLength(1);
    }
  });

  test('a loop of one second makes each early retry a strike', async () => {
    const each = createMongoStrikesStore(await makeCollections(raw().useDb('each'), strikesCollection), {
      ...policy,
      loopSeconds: 1,
    });
    await each.add('a', FIRST_SECOND);
    expect(await each.add('a', FIRST_SECOND + 100)).toEqual({ strikes: 2, bans: false });
  });
});
