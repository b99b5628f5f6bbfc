import { createCountingLimiter } from '../../src/quotas/counting-limiter.js';
import type { Counters } from '../../src/quotas/counters.js';
import { QuotaStoreError, type Decision, type Limiter } from '../../src/quotas/limiter.js';
import { createMemoryCounters } from '../../src/quotas/memory-counters.js';
import { createOutageLimiter } from '../../src/quotas/outage-limiter.js';
import { freshMeter } from '../contract/limiter.js';

/** A store that answers, fails at once, or does not answer at all. */
type Store = 'up' | 'failing' | 'silent';

let nowMs: number;
let store: Store;
let calls: number;
let outages: number;
let recoveries: number;
let limiter: Limiter;

beforeEach(() => {
  nowMs = Date.now();
  store = 'up';
  calls = outages = recoveries = 0;
  limiter = createOutageLimiter(
    createCountingLimiter(switched(createMemoryCounters(clock)), clock),
    createCountingLimiter(createMemoryCounters(clock), clock),
    {
      shares: 2,
      callTimeoutMs: 50,
      retryMs: 1000,
      onOutage: () => void (outages += 1),
      onRecovery: () => void (recoveries += 1),
    },
    clock,
  );
});

const clock = () => nowMs;

function switched(counters: Counters): Counters {
  const through = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (store === 'failing') throw new QuotaStoreError(new Error('cut'));
    return store === 'silent' ? new Promise<never>(() => undefined) : call();
  };
  return {
    add: (...given) => through(() => counters.add(...given)),
    giveBack: (...given) => through(() => counters.giveBack(...given)),
    getMany: (...given) => through(() => counters.getMany(...given)),
  };
}

const chargeTimes = (count: number, meter = freshMeter(60, 1000)): Promise<Decision[]> =>
  Promise.all(Array.from({ length: count }, () => limiter.charge(meter, 1)));
const admitted = (decisions: readonly Decision[]) => decisions.filter((d) => d.admitted).length;

describe.each<Store>(['failing', 'silent'])('while the quota store is %s', (how) => {
  test('exactly this process part of the limit is admitted, and nothing fails', async () => {
    store = how;
    expect(admitted(await chargeTimes(200))).toBe(30);
  });

  test('the outage is told once', async () => {
    store = how;
    for (let i = 0; i < 3; i++) await chargeTimes(10);
    expect({ outages, recoveries }).toEqual({ outages: 1, recoveries: 0 });
  });

  test('the store is left alone until it is time to ask it again', async () => {
    store = how;
    const meter = freshMeter(60, 1000);
    await chargeTimes(1, meter);
    const before = calls;
    await chargeTimes(100, meter);
    expect(calls).toBe(before);
  });

  test('looking at a quota works as well', async () => {
    store = how;
    expect((await limiter.peek(freshMeter(60, 1000))).map(({ remaining }) => remaining)).toEqual([30, 500]);
  });

  test('a limit of 1 is not shut', async () => {
    store = how;
    expect(admitted(await chargeTimes(5, freshMeter(1, 1)))).toBe(1);
  });
});

test('when the store answers again its counts hold, and the recovery is told once', async () => {
  const meter = freshMeter(60, 1000);
  expect(admitted(await chargeTimes(50, meter))).toBe(50);
  store = 'failing';
  expect(admitted(await chargeTimes(50, meter))).toBe(30);
  store = 'up';
  nowMs += 1000;
  const after = await chargeTimes(1, meter);
  expect(after[0]).toMatchObject({ admitted: true });
  expect(after[0]?.windows[0]).toMatchObject({ limit: 60, used: 51 });
  expect({ outages, recoveries }).toEqual({ outages: 1, recoveries: 1 });
});

test('a refusal of the store before it failed is still remembered', async () => {
  const meter = freshMeter(1, 1000);
  await chargeTimes(2, meter);
  store = 'failing';
  expect(limiter.remembered(meter, 1)).toMatchObject({ admitted: false, refusedBy: ['minute'] });
});

test('an error that is none of the store is not taken for an outage', async () => {
  const broken: Limiter = { ...limiter, charge: () => Promise.reject(new TypeError('a bug')) };
  const settings = { shares: 1, callTimeoutMs: 50, retryMs: 1000 };
  const guarded = createOutageLimiter(
    broken,
    limiter,
    { ...settings, onOutage: () => void (outages += 1), onRecovery: () => undefined },
    clock,
  );
  await expect(guarded.charge(freshMeter(1, 1), 1)).rejects.toBeInstanceOf(TypeError);
  expect(outages).toBe(0);
});
