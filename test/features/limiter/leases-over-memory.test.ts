import type { Count, Counters } from '../../../src/features/limiter/counters.js';
import {
  createLeasedCounters,
  type LeasedCounters,
  type LeasePolicy,
} from '../../../src/features/limiter/leased-counters.js';
import { createMemoryCounters } from '../../../src/features/limiter/memory-counters.js';
import { describeLeases } from '../../contract/leases.js';
import { memoryCounters } from '../../support/counters.js';
import { NOON } from '../../support/fake-date.js';

const clock = () => Date.now();
const LIMIT = 10_000;
const MINUTE_MS = 60_000;
const KEY = '{key_a}:minute:0';
const POLICY: LeasePolicy = {
  minLimit: 300,
  partOfRemaining: 1 / 20,
  minUnits: 5,
  maxUnits: 1000,
  measuredMs: 100,
};

describeLeases('memory', memoryCounters);

describe('leases, to the unit and the millisecond', () => {
  let store: Counters;
  let leased: LeasedCounters;
  /** What the store was asked to add and, below zero, to take off. */
  let asked: number[];

  beforeEach(() => {
    jest.useFakeTimers({ now: NOON });
    store = createMemoryCounters(clock);
    asked = [];
    const told: Counters = {
      add: (...given) => (asked.push(given[2]), store.add(...given)),
      refund: (...given) => (asked.push(-given[1]), store.refund(...given)),
      getMany: (keys) => store.getMany(keys),
    };
    leased = createLeasedCounters(told, clock, POLICY);
    leased.start();
  });
  afterEach(async () => {
    await leased.close();
    jest.useRealTimers();
  });

  /** What the store was asked by `act`. */
  async function askedBy(act: () => Promise<unknown>): Promise<number[]> {
    const before = asked.length;
    await act();
    return asked.slice(before);
  }
  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
  const add = (units: number, limit = LIMIT, smallestLimit = limit) =>
    leased.add(KEY, limit, units, MINUTE_MS, smallestLimit);
  const used = async (counters: Counters) => (await counters.getMany([KEY]))[0]?.units;

  /** 105 units in 100 ms: a demand of 1.05 units a millisecond, and so of 1050 a second. */
  async function demand(limit = LIMIT, smallestLimit = limit): Promise<void> {
    await add(5, limit, smallestLimit);
    await pass(50);
    await add(100, limit, smallestLimit);
    await pass(50);
  }
  /** One unit, and a lease of 494. */
  async function buy(limit = LIMIT): Promise<Count> {
    await demand(limit);
    return add(1, limit);
  }

  test('leases a twentieth of the rest of the window, once 100 ms of demand are measured', async () => {
    expect(await askedBy(() => buy())).toEqual([5, 100, 1 + Math.floor((LIMIT - 105) / 20)]);
    expect(await used(leased)).toBe(106);
  });

  test('a lease is no more than 1000 units, nor than a second needs', async () => {
    expect(await askedBy(() => buy(50_000))).toEqual([5, 100, 1 + 1000]);
    await pass(1100);
    await add(10, 50_000);
    await pass(100);
    expect(await askedBy(() => add(1, 50_000))).toEqual([1 + 100]);
  });

  test.each([
    [5, 195],
    [0, 201],
  ])('where a twentieth of the rest is 5 units or fewer, %d are leased', async (units, before) => {
    await add(before - 105, 300);
    await pass(1000);
    expect(await askedBy(() => buy(300))).toEqual([5, 100, 1 + units]);
  });

  test.each([
    [999, 1 + 100],
    [1000, 1],
  ])('after %d ms without a request, leases %d', async (ms, bought) => {
    await add(100);
    await pass(ms);
    expect(await askedBy(() => add(1))).toEqual([bought]);
  });

  test.each([
    [300, 1 + 9],
    [299, 1],
  ])('under a smallest limit of %d, leases %d', async (smallest, bought) => {
    await demand(300, smallest);
    expect(await askedBy(() => add(1, 300, smallest))).toEqual([bought]);
  });

  test('spends all of a lease before it asks the store again', async () => {
    await buy();
    expect(await askedBy(async () => expect((await add(494)).units).toBe(600))).toEqual([]);
    expect(await askedBy(async () => expect((await add(1)).units).toBe(601))).not.toEqual([]);
  });

  test('a purchase beside a lease gets what the lease lacks, and refunds what exceeds a twentieth by then', async () => {
    await buy();
    await add(400);
    // 94 are left, 506 used. After the request it is 601, and a twentieth of the rest is 469.
    const wanted = Math.floor((LIMIT - 506) / 20) - 94;
    expect(await askedBy(async () => expect((await add(95)).units).toBe(601))).toEqual([95 + wanted, -5]);
    expect((await add(1)).units).toBe(602);
    expect(await used(leased)).toBe(602);
    expect(await askedBy(() => pass(1250))).toEqual([-468]);
    expect(await used(store)).toBe(602);
  });

  test('a lease lasts a second; then the rest is refunded, once', async () => {
    await buy();
    await pass(900);
    // Looked at every 250 ms: the next time is at 1250 ms, 150 ms too late for one bought at 100 ms.
    expect(await used(store)).toBe(600);
    expect(await askedBy(() => pass(249))).toEqual([]);
    expect(await askedBy(() => pass(1))).toEqual([-494]);
    expect(await askedBy(() => pass(5000))).toEqual([]);
    expect((await add(1)).units).toBe(107);
  });

  test('after a second, keeps a lease that demand will spend within another second', async () => {
    await pass(150);
    await buy(1000);
    await pass(500);
    // More than the 44 of the lease, which stay: 60 units in half a second are a demand of 120 a second.
    expect(await askedBy(() => add(60, 1000))).toEqual([60]);
    expect(await askedBy(() => pass(500 + 999))).toEqual([]);
    expect(await askedBy(() => pass(1))).toEqual([-44]);
  });

  test('refunds the excess of a larger lease', async () => {
    await buy();
    await pass(900);
    await add(30);
    // 30 units in a quarter of a second are a demand of 120 a second; 464 are left.
    expect(await askedBy(() => pass(250))).toEqual([-344]);
    expect(await askedBy(() => add(120))).toEqual([]);
    expect(await used(leased)).toBe(106 + 150);
  });

  test('refunds nothing of a lease that is fully spent', async () => {
    await buy();
    await add(494);
    expect(await askedBy(() => pass(2000))).toEqual([]);
    expect(await askedBy(() => leased.close())).toEqual([]);
  });

  test('a clock that is set back does not extend a lease', async () => {
    await buy();
    jest.setSystemTime(NOON - 3_600_000);
    expect(await askedBy(() => pass(250))).toEqual([-494]);
  });

  test('a lease is not spent beyond its window', async () => {
    await add(1);
    await pass(MINUTE_MS - 200);
    await buy();
    await pass(100);
    expect((await add(1)).units).toBe(1);
    expect(await used(leased)).toBe(1);
  });

  describe('the refund of a rejected request', () => {
    test('goes to its lease', async () => {
      const { expiresAtMs } = await buy();
      await add(10);
      expect(await askedBy(() => leased.refund(KEY, 10, expiresAtMs))).toEqual([]);
      expect((await add(1)).units).toBe(107);
      await leased.close();
      expect(await used(store)).toBe(107);
    });

    test('goes to the store if it exceeds the lease', async () => {
      await buy();
      const { expiresAtMs } = await add(2000);
      expect(await askedBy(() => leased.refund(KEY, 2000, expiresAtMs))).toEqual([-2000]);
      expect((await add(1)).units).toBe(107);
    });

    test('goes to the store if its lease has ended', async () => {
      await buy();
      const { expiresAtMs } = await add(494);
      await pass(2000);
      await leased.refund(KEY, 494, expiresAtMs);
      await pass(250);
      expect(await used(store)).toBe(106);
    });

    test('goes to the store for a counter that this process does not know', async () => {
      const { expiresAtMs } = await store.add(KEY, LIMIT, 7, MINUTE_MS);
      await leased.refund(KEY, 3, expiresAtMs);
      expect(await used(store)).toBe(4);
    });

    test('does not change the next counter', async () => {
      const { expiresAtMs } = await add(10);
      await pass(MINUTE_MS);
      await add(20);
      await leased.refund(KEY, 5, expiresAtMs);
      expect(await used(leased)).toBe(20);
      expect((await add(1)).units).toBe(21);
    });
  });

  describe('a look at many counters', () => {
    test('leaves out leased units of counters that this process knows', async () => {
      await buy();
      await store.add('{key_b}:minute:0', LIMIT, 7, MINUTE_MS);
      const found = await leased.getMany(['{key_b}:minute:0', KEY, '{key_c}:minute:0']);
      expect(found.map((count) => count?.units)).toEqual([7, 106, undefined]);
    });

    test('finds none where the window has ended', async () => {
      await buy();
      await pass(MINUTE_MS);
      expect(await leased.getMany([KEY])).toEqual([undefined]);
    });

    test('leaves nothing out of a counter that another process has started since', async () => {
      await add(1);
      await pass(MINUTE_MS - 200);
      await buy();
      await pass(100);
      await store.add(KEY, LIMIT, 600, MINUTE_MS);
      expect(await used(leased)).toBe(600);
    });

    test('leaves nothing out that was leased while the store answered', async () => {
      let answer: () => void = () => undefined;
      const slow = createLeasedCounters(
        {
          ...store,
          async getMany(keys) {
            const counts = await store.getMany(keys);
            await new Promise<void>((resolve) => (answer = resolve));
            return counts;
          },
        },
        clock,
        POLICY,
      );
      leased = slow;
      leased.start();
      await demand();
      const looked = used(slow);
      await pass(0);
      await add(1);
      answer();
      expect(await looked).toBe(105);
    });
  });
});
