import type { Counters } from '../../src/features/limiter/counters.js';
import { createLeasedCounters } from '../../src/features/limiter/leased-counters.js';
import { freezeDate, moveDateBy, NOON, releaseDate } from '../support/fake-date.js';
import { until } from '../support/until.js';
import type { CountersUnderTest } from './limiter.js';

const clock = () => Date.now();
const LIMIT = 100_000;
const MINUTE_MS = 60_000;
let keys = 0;

/** What leases from every store of counters keep to: see src/features/limiter/leased-counters.ts. */
export function describeLeases(name: string, make: () => Promise<CountersUnderTest>): void {
  describe(`leases from ${name}`, () => {
    let store: Counters;
    let closeStore: () => Promise<void>;
    let key: string;
    let storeCalls: number;
    const open: { close: () => Promise<void> }[] = [];

    beforeAll(async () => {
      ({ counters: store, close: closeStore } = await make());
    });
    afterAll(() => closeStore());
    beforeEach(() => {
      freezeDate(NOON);
      key = `{leased_${++keys}}:minute:0`;
      storeCalls = 0;
    });
    afterEach(async () => {
      await Promise.all(open.splice(0).map((leased) => leased.close()));
      releaseDate();
    });

    const counted: Counters = {
      add: (...given) => ((storeCalls += 1), store.add(...given)),
      refund: (...given) => store.refund(...given),
      getMany: (asked) => store.getMany(asked),
    };
    function newProcess() {
      const leased = createLeasedCounters(counted, clock);
      leased.start();
      open.push(leased);
      return leased;
    }
    const unitsIn = async (counters: Counters) => (await counters.getMany([key]))[0]?.units;
    const addOne = (counters: Counters, limit = LIMIT) => counters.add(key, limit, 1, MINUTE_MS);
    /** A request each millisecond: demand that is worth a lease. */
    async function addMany(counters: Counters, count: number, limit = LIMIT): Promise<number> {
      let last = 0;
      for (let i = 0; i < count; i++) {
        last = (await addOne(counters, limit)).units;
        moveDateBy(1);
      }
      return last;
    }

    test('under demand the store is asked rarely, and each count is exact all the same', async () => {
      const one = newProcess();
      expect(await addMany(one, 2000)).toBe(2000);
      expect(storeCalls).toBeLessThan(200);
      expect(await unitsIn(one)).toBe(2000);
    });

    test('without demand nothing is bought in advance', async () => {
      const one = newProcess();
      for (let i = 0; i < 20; i++) {
        await addOne(one);
        moveDateBy(250);
      }
      expect(await unitsIn(store)).toBe(20);
    });

    test('a key with a limit below 300 is never leased for, in none of its windows', async () => {
      const one = newProcess();
      for (let i = 0; i < 300; i++) {
        await one.add(key, LIMIT, 1, MINUTE_MS, 299);
        moveDateBy(1);
      }
      expect(await unitsIn(store)).toBe(300);
    });

    test('the store counts a twentieth of what is left at most before anybody spends it', async () => {
      const one = newProcess();
      await addMany(one, 400, 1000);
      const inStore = (await unitsIn(store)) ?? 0;
      expect(inStore).toBeGreaterThan(400);
      expect(inStore - 400).toBeLessThanOrEqual(600 / 20);
    });

    test('two processes never count a unit twice or leave one out', async () => {
      const [one, other] = [newProcess(), newProcess()];
      for (let i = 0; i < 500; i++) {
        await Promise.all([addOne(one), addOne(other)]);
        moveDateBy(1);
      }
      await Promise.all([one.close(), other.close()]);
      expect(await unitsIn(store)).toBe(1000);
    });

    test('a second after it was bought, what is left goes back to the store', async () => {
      const one = newProcess();
      await addMany(one, 300);
      expect(await unitsIn(store)).toBeGreaterThan(300);
      moveDateBy(1000);
      await until('the give-back', async () => (await unitsIn(store)) === 300);
      expect((await addOne(one)).units).toBe(301);
    });

    test('what a refused request gives back is off the counts that follow from memory', async () => {
      const one = newProcess();
      await addMany(one, 300);
      const { units, expiresAtMs } = await one.add(key, LIMIT, 2000, MINUTE_MS);
      expect(units).toBe(2300);
      await one.refund(key, 2000, expiresAtMs);
      expect((await addOne(one)).units).toBe(301);
    });

    test('what is left goes back when the process stops', async () => {
      const one = newProcess();
      await addMany(one, 300);
      await one.close();
      expect(await unitsIn(store)).toBe(300);
    });

    test('a lease ends with its window', async () => {
      const one = newProcess();
      await addMany(one, 300);
      moveDateBy(MINUTE_MS);
      expect((await addOne(one)).units).toBe(1);
      await one.close();
      expect(await unitsIn(store)).toBe(1);
    });

    test('the lease of a killed process expires: fewer requests are admitted, never more', async () => {
      const killed = newProcess();
      await addMany(killed, 300);
      const inStore = (await unitsIn(store)) ?? 0;
      expect((await addOne(newProcess())).units).toBe(inStore + 1);
      expect(inStore).toBeGreaterThanOrEqual(300);
    });
  });
}
