import { setTimeout as sleep } from 'node:timers/promises';
import { createLeasingLimiter, type LeasingLimiter } from '../../support/store-limiter.js';
import { QuotaStoreError } from '../../../src/features/limiter/limiter.js';
import { createMemoryQuotaStore } from '../../support/memory-quota-store.js';
import type { QuotaStore } from '../../../src/features/limiter/quota-store.js';
import type { Meter } from '../../../src/features/plans/window.js';
import { freshMeter, limiterOn, meterOf } from '../../contract/limiter.js';
import { freezeDate, moveDateBy, NOON, releaseDate } from '../../support/fake-date.js';
import { mongoQuotaStore } from '../../support/quota-stores.js';
import { turns } from '../../support/turns.js';
import { until } from '../../support/until.js';

const LIMIT = 1_000_000;

let store: QuotaStore;
let calls: number;
let limiter: LeasingLimiter;
let meter: Meter;

const processOn = (one: QuotaStore) => createLeasingLimiter(limiterOn(one), () => Date.now());

beforeEach(() => {
  freezeDate(NOON);
  const memory = createMemoryQuotaStore(() => Date.now());
  calls = 0;
  store = {
    ...memory,
    decide: (...given) => ((calls += 1), memory.decide(...given)),
    add: (...given) => ((calls += 1), memory.add(...given)),
  };
  limiter = processOn(store);
  meter = freshMeter(LIMIT, LIMIT);
});
afterEach(async () => {
  await limiter.close();
  releaseDate();
});

async function chargeTimes(count: number, cost = 1, one = meter): Promise<void> {
  for (let i = 0; i < count; i++) await limiter.charge(one, cost);
}

/** What the store has counted in the minute, leased units among it, once it has answered all that it was asked. */
async function counted(of = meter): Promise<number> {
  await turns(5);
  const [minute] = await limiterOn(store).peek(of);
  return minute?.used ?? NaN;
}

/** Uses more than half of a lease. */
const BUSY = 20;

describe('a busy meter', () => {
  test('uses leased units, and each request reports exactly what is left', async () => {
    const remaining: unknown[] = [];
    for (let i = 0; i < 1000; i++) {
      const decision = await limiter.charge(meter, 1);
      expect(decision.admitted).toBe(true);
      remaining.push(decision.windows.map((window) => [window.remaining, window.used]));
    }
    expect(remaining).toEqual(
      Array.from({ length: 1000 }, (_, i) => [
        [LIMIT - i - 1, i + 1],
        [LIMIT - i - 1, i + 1],
      ]),
    );
    expect(calls).toBeLessThan(50);
  });

  test('is the same, whichever look-up of the key it comes from', async () => {
    await chargeTimes(BUSY);
    const before = calls;
    const { windows } = await limiter.charge(meterOf(meter.id, LIMIT, LIMIT), 1);
    expect(windows[0]?.used).toBe(BUSY + 1);
    expect(calls).toBe(before);
  });

  test('leases from the eighth unit within 100 ms on', async () => {
    await chargeTimes(7);
    expect(await counted()).toBe(7);
    await chargeTimes(1);
    expect(await counted()).toBe(16);
  });

  test('leases no more than a thousandth of what is left', async () => {
    const small = freshMeter(20_000, LIMIT);
    await chargeTimes(1, 1000, small);
    await chargeTimes(1, 1000, small);
    expect(await counted(small)).toBe(2000 + 19);
  });

  test.each([
    ['a small limit', () => freshMeter(7999, LIMIT)],
    ['a small limit of the day', () => freshMeter(LIMIT, 7999)],
  ])('with %s leases nothing', async (_name, make) => {
    const small = make();
    await chargeTimes(50, 1, small);
    expect(await counted(small)).toBe(50);
  });

  test('that slows down returns what it did not use', async () => {
    await chargeTimes(BUSY);
    expect(await counted()).toBeGreaterThan(BUSY);
    moveDateBy(100);
    await until('the units to be returned', async () => (await counted()) === BUSY);
  });

  test('leases again later', async () => {
    await chargeTimes(BUSY);
    await counted();
    moveDateBy(10_000);
    await until('the units to be returned', async () => (await counted()) === BUSY);
    await chargeTimes(7);
    expect(await counted()).toBe(BUSY + 7);
    await chargeTimes(1);
    expect(await counted()).toBeGreaterThan(BUSY + 8);
  });
});

describe('leased units', () => {
  beforeEach(() => chargeTimes(BUSY));

  test('are not used after 100 ms', async () => {
    await counted();
    moveDateBy(100);
    const before = calls;
    await chargeTimes(1);
    expect(calls).toBeGreaterThan(before);
  });

  test('are not used after the end of their window', async () => {
    const roomy = freshMeter(LIMIT, 10 * LIMIT);
    await chargeTimes(1, 1, roomy);
    moveDateBy(59_950);
    await chargeTimes(BUSY, 1, roomy);
    expect(await counted(roomy)).toBeGreaterThan(1 + BUSY);
    moveDateBy(50);
    // The whole limit of the new minute, and not one leased unit on top of it.
    expect(await limiter.charge(roomy, LIMIT)).toMatchObject({ admitted: true });
    expect(await limiter.charge(roomy, 1)).toMatchObject({ refusedBy: ['minute'] });
  });

  test('do not look used to who reads the quota here', async () => {
    expect((await limiter.peek(meter)).map(({ used }) => used)).toEqual([BUSY, BUSY]);
    await chargeTimes(BUSY);
    const [first = [], other = []] = await limiter.peekMany([
      meterOf(meter.id, LIMIT, LIMIT),
      freshMeter(LIMIT, 9),
    ]);
    expect([first[0]?.used, other[0]?.used]).toEqual([2 * BUSY, 0]);
  });

  test('are there for a cost that needs them', async () => {
    expect(await limiter.charge(meter, LIMIT - BUSY)).toMatchObject({ admitted: true });
    expect(await limiter.charge(meter, 1)).toMatchObject({ admitted: false });
  });

  test('are there for a cost that is foreseen', async () => {
    expect(await limiter.foresee(meter, LIMIT - BUSY)).toBeUndefined();
    expect(await limiter.foresee(meter, LIMIT - BUSY + 1)).toMatchObject({ admitted: false });
    expect(await counted()).toBe(BUSY);
  });

  test('stay leased if what is foreseen fits without them', async () => {
    const before = await counted();
    expect(await limiter.foresee(meter, 500)).toBeUndefined();
    expect(await counted()).toBe(before);
  });

  test('are there for a cost that needs them, however long their return takes', async () => {
    await counted();
    const usual = { ...store };
    store.add = async (...given) => {
      await sleep(700);
      return usual.add(...given);
    };
    expect(await limiter.charge(meter, LIMIT - BUSY)).toMatchObject({ admitted: true });
  });

  test('are used when nothing else is left, whatever is remembered', async () => {
    const taken = LIMIT - (await counted());
    await limiterOn(store).charge(meter, taken);
    await limiter.peek(meter);
    expect(limiter.remembered(meter, 1)).toBeUndefined();
    expect(await limiter.charge(meter, 1)).toMatchObject({ admitted: true });
  });

  test('are there for the key after a change of its plan', async () => {
    const upgraded = meterOf(meter.id, LIMIT + 10, LIMIT + 10);
    expect(await limiter.charge(upgraded, LIMIT + 10 - BUSY)).toMatchObject({ admitted: true });
  });

  test('return at the end', async () => {
    await limiter.close();
    expect(await counted()).toBe(BUSY);
    await chargeTimes(BUSY);
    expect(await counted()).toBe(2 * BUSY);
  });

  test('of a process that was killed stay counted', async () => {
    const other = processOn(store);
    const left = LIMIT - (await counted());
    expect(await other.charge(meter, left + 1)).toMatchObject({ admitted: false });
    expect(await other.charge(meter, left)).toMatchObject({ admitted: true });
    await other.close();
  });
});

describe('what was leased before', () => {
  beforeEach(async () => {
    await chargeTimes(BUSY);
    await counted();
  });

  test('a downgrade does not count for the smaller limit', async () => {
    const smaller = meterOf(meter.id, BUSY + 5, 1000);
    expect(limiter.remembered(smaller, 1)).toBeUndefined();
    const { admitted, windows } = await limiter.charge(smaller, 5);
    expect([admitted, windows[0]?.used]).toEqual([true, BUSY + 5]);
    expect(await limiter.charge(smaller, 1)).toMatchObject({ admitted: false });
  });

  test('an upgrade is not reported as used', async () => {
    const larger = meterOf(meter.id, LIMIT + 1, LIMIT + 1);
    const { windows } = await limiter.charge(larger, 1);
    expect(windows.map(({ used }) => used)).toEqual([BUSY + 1, BUSY + 1]);
    await chargeTimes(BUSY, 1, larger);
    expect(await counted(larger)).toBeGreaterThan(2 * BUSY + 1);
  });

  test('units were admitted without the store is reported with them', async () => {
    await limiter.add(meter, [500, 500], [60_000, 3_600_000]);
    const { windows } = await limiter.charge(meter, 1);
    expect(windows.map(({ used }) => used)).toEqual([BUSY + 501, BUSY + 501]);
  });
});

test('a request that was authenticated before a reset of the day takes no unit of the new one along', async () => {
  const mongo = await mongoQuotaStore();
  const resetting = processOn(mongo.open());
  for (let i = 0; i < 100; i++) await resetting.charge(meter, 1);
  const [minute, day] = meter.windows;
  if (minute === undefined || day === undefined) throw new Error('a meter has two windows');
  const reset = { id: meter.id, windows: [minute, { ...day, epoch: 1 }] };
  await resetting.charge(reset, 1);
  const { windows } = await resetting.charge(meter, 1000);
  expect(windows[1]?.used).toBeGreaterThanOrEqual(1001);
  await resetting.charge(meter, 1);
  await resetting.close();
  const [, counts] = await limiterOn(mongo.open()).peek(reset);
  expect(counts?.used).toBe(1002);
  await mongo.close();
});

test('in a burst, no response reports more than one before it', async () => {
  await chargeTimes(1);
  moveDateBy(300);
  const remaining: number[] = [];
  const charge = async () =>
    void remaining.push((await limiter.charge(meter, 1)).windows[0]?.remaining ?? NaN);
  await Promise.all(Array.from({ length: BUSY }, charge));
  expect(remaining).toEqual([...remaining].sort((a, b) => b - a));
});

test('a charge that a reading overtakes reports only what was used', async () => {
  const slow = processOn({
    ...store,
    async decide(...given) {
      const outcome = await store.decide(...given);
      await turns(10);
      return outcome;
    },
  });
  // At most 19 units are leased, and 25 are not.
  const small = freshMeter(20_000, LIMIT);
  for (let i = 0; i < 2 * BUSY; i++) await slow.charge(small, 1);
  const charging = slow.charge(small, 25);
  // The store has decided it, and does not answer yet.
  expect(await counted(small)).toBeGreaterThan(2 * BUSY + 25);
  const reading = await slow.peek(small);
  const { windows } = await charging;
  expect([windows, reading].map(([minute]) => minute?.used)).toEqual([2 * BUSY + 25, 2 * BUSY + 25]);
  await slow.close();
});

test('a burst that begins while the quota is read does not look like more', async () => {
  const slow = processOn({
    ...store,
    async read(meters) {
      await turns(10);
      return store.read(meters);
    },
  });
  await slow.charge(meter, 1);
  const reading = slow.peek(meter);
  await Promise.all(Array.from({ length: 10 }, () => slow.charge(meter, 1)));
  const [minute] = await reading;
  expect(minute?.used).toBeLessThanOrEqual(11);
  await slow.close();
});

test('readings and charges by turns do not lease and return each time', async () => {
  for (let i = 0; i < 200; i++) {
    await limiter.charge(meter, 1);
    await limiter.peek(meter);
  }
  expect(calls).toBeLessThan(280);
});

test('a store that does not answer delays neither a reading nor the end for long', async () => {
  await chargeTimes(BUSY);
  await counted();
  store.add = () => new Promise(() => undefined);
  const [minute] = await limiter.peek(meter);
  expect(minute?.used).toBeGreaterThan(BUSY);
  await limiter.close();
});

test('a request with a leased unit does not need the store, and what the store does not take back stays counted', async () => {
  await chargeTimes(BUSY);
  const leased = (await counted()) - BUSY;
  store.decide = () => Promise.reject(new QuotaStoreError(new Error('cut')));
  store.add = () => Promise.reject(new QuotaStoreError(new Error('cut')));
  const outcomes: string[] = [];
  for (let i = 0; i < leased + 1; i++)
    outcomes.push(
      await limiter.charge(meter, 1).then(
        () => 'admitted',
        (error: unknown) => (error as Error).name,
      ),
    );
  expect(outcomes).toEqual([...Array.from({ length: leased }, () => 'admitted'), 'QuotaStoreError']);
  expect(await counted()).toBe(BUSY + leased);
});
