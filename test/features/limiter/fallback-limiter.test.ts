import { createCountingLimiter } from '../../../src/features/limiter/counting-limiter.js';
import type { Counters } from '../../../src/features/limiter/counters.js';
import { createDeadlineCounters } from '../../../src/features/limiter/deadline-counters.js';
import { QuotaStoreError, type Decision, type Limiter } from '../../../src/features/limiter/limiter.js';
import { createMemoryCounters } from '../../../src/features/limiter/memory-counters.js';
import {
  createFallbackLimiter,
  type FallbackLimiter,
} from '../../../src/features/limiter/fallback-limiter.js';
import { freshMeter } from '../../contract/limiter.js';
import { until } from '../../support/until.js';

/** A store that answers, fails at once, or does not answer at all. */
type Store = 'up' | 'failing' | 'silent';

const CALL_TIMEOUT_MS = 50;
const RETRY_MS = 20;
const clock = () => Date.now();

let store: Store;
let calls: number;
let probes: { made: number; underWay: number; mostAtOnce: number };
let outages: number;
let recoveries: number;
/** What the silent store was asked: it does so once it is no longer silent. */
let unanswered: (() => void)[];
let storeLimiter: Limiter;
let limiter: FallbackLimiter;

beforeEach(() => {
  store = 'up';
  calls = outages = recoveries = 0;
  probes = { made: 0, underWay: 0, mostAtOnce: 0 };
  unanswered = [];
  const counters = switched(createMemoryCounters(clock));
  storeLimiter = createCountingLimiter(counters, clock);
  limiter = guarded(createCountingLimiter(createDeadlineCounters(counters, CALL_TIMEOUT_MS), clock));
});
afterEach(() => limiter.close());

function guarded(primary: Limiter): FallbackLimiter {
  return createFallbackLimiter(primary, createCountingLimiter(createMemoryCounters(clock), clock), {
    shares: 2,
    callTimeoutMs: 2 * CALL_TIMEOUT_MS,
    retryMs: RETRY_MS,
    probe,
    onOutage: () => void (outages += 1),
    onRecovery: () => void (recoveries += 1),
  });
}

async function probe(): Promise<void> {
  probes.made += 1;
  probes.underWay += 1;
  probes.mostAtOnce = Math.max(probes.mostAtOnce, probes.underWay);
  await new Promise(setImmediate);
  probes.underWay -= 1;
  if (store !== 'up') throw new QuotaStoreError(new Error('cut'));
}

function switched(counters: Counters): Counters {
  const through = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (store === 'failing') throw new QuotaStoreError(new Error('cut'));
    if (store === 'silent') await new Promise<void>((resolve) => unanswered.push(resolve));
    return call();
  };
  return {
    add: (...given) => through(() => counters.add(...given)),
    refund: (...given) => through(() => counters.refund(...given)),
    getMany: (...given) => through(() => counters.getMany(...given)),
  };
}

/** The store works again, and does what it was asked while it was silent. */
async function repair(): Promise<void> {
  store = 'up';
  for (const answer of unanswered.splice(0)) answer();
  await until('the limiter to notice', () => Promise.resolve(!limiter.state().down));
}

const chargeTimes = (count: number, meter = freshMeter(60, 1000)): Promise<Decision[]> =>
  Promise.all(Array.from({ length: count }, () => limiter.charge(meter, 1)));
const admitted = (decisions: readonly Decision[]) => decisions.filter((d) => d.admitted).length;

describe.each<Store>(['failing', 'silent'])('while the quota store is %s', (how) => {
  test("admits exactly this process's share of the limit, and nothing fails", async () => {
    store = how;
    expect(admitted(await chargeTimes(200))).toBe(30);
  });

  test('reports the outage once', async () => {
    store = how;
    for (let i = 0; i < 3; i++) await chargeTimes(10);
    expect({ outages, recoveries }).toEqual({ outages: 1, recoveries: 0 });
  });

  test('does not ask the store until the next probe is due', async () => {
    store = how;
    const meter = freshMeter(60, 1000);
    await chargeTimes(1, meter);
    const before = calls;
    await chargeTimes(100, meter);
    expect(calls).toBe(before);
  });

  test('looking at a quota works as well', async () => {
    store = how;
    const meter = freshMeter(60, 1000);
    const left = [30, 500];
    expect((await limiter.peek(meter)).map(({ remaining }) => remaining)).toEqual(left);
    const looked = await limiter.peekMany([meter, freshMeter(2, 1000)]);
    expect(looked.map((windows) => windows.map(({ remaining }) => remaining))).toEqual([left, [1, 500]]);
  });

  test('predicts what is left of the local limit', async () => {
    store = how;
    const meter = freshMeter(60, 1000);
    expect(await limiter.foresee(meter, 30)).toBeUndefined();
    expect(await limiter.foresee(meter, 31)).toMatchObject({ refusedBy: ['minute'] });
  });

  test('a limit of 1 admits one request', async () => {
    store = how;
    expect(admitted(await chargeTimes(5, freshMeter(1, 1)))).toBe(1);
  });
});

describe.each<Store>(['failing', 'silent'])('after an outage in which the quota store was %s', (how) => {
  test('its counts apply again, and the recovery is reported once', async () => {
    const meter = freshMeter(60, 1000);
    expect(admitted(await chargeTimes(50, meter))).toBe(50);
    store = how;
    expect(admitted(await chargeTimes(50, meter))).toBe(30);
    await repair();
    const after = await chargeTimes(1, meter);
    expect(after[0]).toMatchObject({ admitted: true });
    expect(after[0]?.windows[0]).toMatchObject({ limit: 60, used: 51 });
    expect({ outages, recoveries }).toEqual({ outages: 1, recoveries: 1 });
  });

  test('nothing stands on its counters of what was decided locally, however late it did it', async () => {
    const meter = freshMeter(60, 1000);
    await chargeTimes(20, meter);
    store = how;
    await chargeTimes(30, meter);
    await repair();
    await until('late charges to be given back', async () => {
      const windows = await storeLimiter.peek(meter);
      return windows.every(({ used }) => used === 20);
    });
  });

  test('a second outage gives no second local limit in the same window', async () => {
    const meter = freshMeter(60, 1000);
    store = how;
    expect(admitted(await chargeTimes(20, meter))).toBe(20);
    await repair();
    store = how;
    expect(admitted(await chargeTimes(20, meter))).toBe(10);
    expect(limiter.state()).toEqual({ down: true, outages: 2, decidedLocally: 40 });
  });
});

test('probes a failed store repeatedly, once at a time, without any request', async () => {
  store = 'failing';
  await chargeTimes(1);
  await until('some probes', () => Promise.resolve(probes.made > 3));
  expect(probes.mostAtOnce).toBe(1);
  expect(recoveries).toBe(0);
});

test('a call from before a recovery that fails after it is no new outage', async () => {
  const meter = freshMeter(60, 1000);
  const other = freshMeter(60, 1000);
  store = 'silent';
  const lost = chargeTimes(1, meter);
  store = 'failing';
  await chargeTimes(1, other);
  store = 'up';
  await until('the recovery', () => Promise.resolve(recoveries === 1));
  expect(admitted(await lost)).toBe(1);
  expect({ outages, down: limiter.state().down }).toEqual({ outages: 1, down: false });
});

test('a charge that was decided locally is not counted when the store answers later', async () => {
  const meter = freshMeter(60, 1000);
  const patient = guarded(storeLimiter);
  try {
    store = 'silent';
    // The second waits behind the first.
    expect(admitted(await Promise.all([1, 2].map((cost) => patient.charge(meter, cost))))).toBe(2);
    store = 'up';
    for (const answer of unanswered.splice(0)) answer();
    await new Promise(setImmediate);
    await until('nothing to be charged', async () =>
      (await storeLimiter.peek(meter)).every(({ used }) => used === 0),
    );
  } finally {
    patient.close();
  }
});

test('a check detects an outage and a recovery without any request', async () => {
  expect(await limiter.check()).toBe(true);
  store = 'failing';
  expect(await limiter.check()).toBe(false);
  expect(outages).toBe(1);
  await repair();
  expect(await limiter.check()).toBe(true);
});

test('a check of a store that is down sends nothing', async () => {
  store = 'failing';
  await chargeTimes(1);
  const { made } = probes;
  const checked = limiter.check();
  expect(probes.made).toBe(made);
  expect(await checked).toBe(false);
});

test('looking at quotas asks the store while it is up', async () => {
  const [one, other] = [freshMeter(60, 1000), freshMeter(2, 1000)];
  await chargeTimes(7, one);
  expect((await limiter.peek(one)).map(({ used }) => used)).toEqual([7, 7]);
  const looked = await limiter.peekMany([other, one]);
  expect(looked.map((windows) => windows.map(({ used }) => used))).toEqual([
    [0, 0],
    [7, 7],
  ]);
  expect(limiter.state().decidedLocally).toBe(0);
});

test('remembers a rejection of the store from before its outage', async () => {
  const meter = freshMeter(1, 1000);
  await chargeTimes(2, meter);
  store = 'failing';
  expect(limiter.remembered(meter, 1)).toMatchObject({ admitted: false, refusedBy: ['minute'] });
});

test('a rejection by the local limit is remembered as long as the store is down', async () => {
  store = 'failing';
  const meter = freshMeter(2, 1000);
  expect(admitted(await chargeTimes(3, meter))).toBe(1);
  const { decidedLocally } = limiter.state();
  expect(limiter.remembered(meter, 1)).toMatchObject({ admitted: false, refusedBy: ['minute'] });
  for (let i = 0; i < 3; i++) expect(limiter.remembered(freshMeter(2, 1000), 1)).toBeUndefined();
  expect(limiter.state().decidedLocally).toBe(decidedLocally + 1);
  await repair();
  expect(limiter.remembered(meter, 1)).toBeUndefined();
});

test('an error of something else is no outage of the store', async () => {
  const broken = guarded({ ...storeLimiter, charge: () => Promise.reject(new TypeError('a bug')) });
  await expect(broken.charge(freshMeter(1, 1), 1)).rejects.toBeInstanceOf(TypeError);
  expect(outages).toBe(0);
});
