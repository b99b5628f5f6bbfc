import type { FallbackLimiter } from '../../support/store-limiter.js';
import { QuotaStoreError, type Decision, type Limiter } from '../../../src/features/limiter/limiter.js';
import type { QuotaStore } from '../../../src/features/limiter/quota-store.js';
import { createStoreLimiter } from '../../support/store-limiter.js';
import { systemClock } from '../../../src/lib/clock.js';
import { freshMeter, meterOf } from '../../contract/limiter.js';
import { fallbackOver } from '../../support/fallback-limiter.js';
import { createMemoryQuotaStore } from '../../support/memory-quota-store.js';
import { quotaStoreThrough, type ThroughStore } from '../../support/quota-store-through.js';
import { turns } from '../../support/turns.js';
import { until } from '../../support/until.js';

/** A store that answers, fails at once, or does not answer at all. */
type Store = 'up' | 'failing' | 'silent';

const CALL_TIMEOUT_MS = 50;
const RETRY_MS = 20;
const HOLD_MS = 20;
const cut = () => new QuotaStoreError(new Error('cut'));

let store: Store;
let calls: number;
let probes: { made: number; underWay: number; mostAtOnce: number };
let outages: number;
let recoveries: number;
/** What the silent store was asked: it does so once it is no longer silent. */
let unanswered: (() => void)[];
let quotaStore: QuotaStore;
let storeLimiter: Limiter;
let limiter: FallbackLimiter;

beforeEach(() => {
  store = 'up';
  calls = outages = recoveries = 0;
  probes = { made: 0, underWay: 0, mostAtOnce: 0 };
  unanswered = [];
  quotaStore = quotaStoreThrough(createMemoryQuotaStore(systemClock), whileUp);
  storeLimiter = createStoreLimiter(quotaStore, systemClock);
  limiter = guarded(2);
});
afterEach(() => limiter.close());

function guarded(shares: number, storeTimeoutMs = CALL_TIMEOUT_MS, holdMs = HOLD_MS): FallbackLimiter {
  return fallbackOver(createStoreLimiter(quotaStore, systemClock, undefined, storeTimeoutMs), {
    shares,
    callTimeoutMs: 2 * CALL_TIMEOUT_MS,
    retryMs: RETRY_MS,
    holdMs,
    probe,
    onOutage: () => void (outages += 1),
    onRecovery: () => void (recoveries += 1),
  });
}

async function probe(): Promise<void> {
  // It may end in the next test, which has counts of its own.
  const counts = probes;
  counts.made += 1;
  counts.underWay += 1;
  counts.mostAtOnce = Math.max(counts.mostAtOnce, counts.underWay);
  await new Promise(setImmediate);
  counts.underWay -= 1;
  if (store !== 'up') throw cut();
}

const whileUp: ThroughStore = async (call) => {
  calls += 1;
  if (store === 'failing') throw cut();
  if (store === 'silent') await new Promise<void>((resolve) => unanswered.push(resolve));
  return call();
};

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
  test('exactly this process part of the limit is admitted, and nothing fails', async () => {
    store = how;
    expect(admitted(await chargeTimes(200))).toBe(30);
  });

  test('the outage is reported once', async () => {
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
    const meter = freshMeter(60, 1000);
    const left = [30, 500];
    expect((await limiter.peek(meter)).map(({ remaining }) => remaining)).toEqual(left);
    const looked = await limiter.peekMany([meter, freshMeter(2, 1000)]);
    expect(looked.map((windows) => windows.map(({ remaining }) => remaining))).toEqual([left, [1, 500]]);
  });

  test('only units that were charged count as used', async () => {
    const meter = freshMeter(60, 1000);
    await chargeTimes(7, meter);
    store = how;
    const [decision] = await chargeTimes(1, meter);
    expect(decision?.windows.map(({ used, remaining }) => [used, remaining])).toEqual([
      [8, 25],
      [8, 495],
    ]);
    expect((await limiter.peek(meter)).map(({ used }) => used)).toEqual([8, 8]);
    expect((await limiter.peek(freshMeter(60, 1000))).map(({ used }) => used)).toEqual([0, 0]);
  });

  test('what is left of the local limit is foreseen', async () => {
    store = how;
    const meter = freshMeter(60, 1000);
    expect(await limiter.foresee(meter, 30)).toBeUndefined();
    expect(await limiter.foresee(meter, 31)).toMatchObject({ refusedBy: ['minute'] });
  });

  test('of what was left when the store was last seen, this process has its share', async () => {
    const meter = freshMeter(60, 1000);
    await chargeTimes(51, meter);
    store = how;
    expect(admitted(await chargeTimes(20, meter))).toBe(4);
  });

  test('of a limit that does not go round, nothing is admitted', async () => {
    store = how;
    expect(admitted(await chargeTimes(5, freshMeter(1, 1)))).toBe(0);
  });
});

describe.each<Store>(['failing', 'silent'])('after a time in which the quota store was %s', (how) => {
  test('it counts what was admitted meanwhile, and the recovery is reported once', async () => {
    const meter = freshMeter(60, 1000);
    expect(admitted(await chargeTimes(50, meter))).toBe(50);
    store = how;
    expect(admitted(await chargeTimes(50, meter))).toBe(5);
    await repair();
    await until('the store to have all of it, once', async () =>
      (await storeLimiter.peek(meter)).every(({ used }) => used === 55),
    );
    expect(admitted(await chargeTimes(20, meter))).toBe(5);
    expect({ outages, recoveries }).toEqual({ outages: 1, recoveries: 1 });
  });

  test('a second time gives no more of the same window than is left', async () => {
    const meter = freshMeter(60, 1000);
    store = how;
    expect(admitted(await chargeTimes(20, meter))).toBe(20);
    await repair();
    store = how;
    expect(admitted(await chargeTimes(50, meter))).toBe(20);
    await repair();
    expect(admitted(await chargeTimes(50, meter))).toBe(20);
    expect(outages).toBe(2);
  });
});

test.each([
  { change: 'an upgrade', from: 60, spent: 15, to: 300, left: 60 },
  { change: 'a downgrade', from: 300, spent: 10, to: 60, left: 5 },
])('after $change during an outage, this process has its share of the new limit', async (plan) => {
  await limiter.close();
  limiter = guarded(4);
  store = 'failing';
  const { id } = freshMeter(0, 0);
  expect(admitted(await chargeTimes(plan.spent, meterOf(id, plan.from, 10_000)))).toBe(plan.spent);
  expect(admitted(await chargeTimes(300, meterOf(id, plan.to, 10_000)))).toBe(plan.left);
});

test('a charge that is under way when the store fails is decided once, and not by the store', async () => {
  const memory = createMemoryQuotaStore(systemClock);
  let answerLate: () => void = () => undefined;
  let isDecided: () => void = () => undefined;
  const decided = new Promise<void>((resolve) => (isDecided = resolve));
  const late: QuotaStore = {
    ...memory,
    async decide(meter, costs, ...given) {
      const outcome = await memory.decide(meter, costs, ...given);
      if (!costs.includes(50)) return outcome;
      isDecided();
      await new Promise<void>((resolve) => (answerLate = resolve));
      return outcome;
    },
  };
  quotaStore = quotaStoreThrough(late, whileUp);
  limiter = guarded(1);
  const meter = freshMeter(100, 1000);
  await chargeTimes(50, meter);
  const underWay = limiter.charge(meter, 50);
  await decided;
  store = 'failing';
  await limiter.peek(meter);
  const meanwhile = await chargeTimes(50, meter);
  answerLate();
  expect([admitted(meanwhile), (await underWay).admitted]).toEqual([50, false]);
});

test('until the other processes have settled as well, the local limit stays in force', async () => {
  const meter = freshMeter(60, 1000);
  const other = guarded(2);
  try {
    store = 'failing';
    const spend = (one: Limiter) => Promise.all(Array.from({ length: 60 }, () => one.charge(meter, 1)));
    expect(admitted(await spend(limiter))).toBe(30);
    expect(admitted(await spend(other))).toBe(30);
    await repair();
    expect(admitted([...(await spend(limiter)), ...(await spend(other))])).toBe(0);
    await until('both to be back', () => Promise.resolve(!other.state().down && !limiter.state().down));
    expect((await storeLimiter.peek(meter))[0]).toMatchObject({ used: 60 });
  } finally {
    await other.close();
  }
});

test('a store that fails while it takes what was admitted gets it again', async () => {
  const meter = freshMeter(60, 1000);
  store = 'failing';
  await chargeTimes(20, meter);
  let failures = 2;
  const inner = { ...quotaStore };
  quotaStore.add = (...given) => (failures-- > 0 ? Promise.reject(cut()) : inner.add(...given));
  await repair();
  expect((await storeLimiter.peek(meter))[0]).toMatchObject({ used: 20 });
});

test('a process that ends adds what it admitted', async () => {
  const meter = freshMeter(60, 1000);
  store = 'failing';
  await chargeTimes(20, meter);
  store = 'up';
  await limiter.close();
  expect((await storeLimiter.peek(meter))[0]).toMatchObject({ used: 20 });
});

test('a process that ends adds what it can, even if the store fails for some keys', async () => {
  const meters = Array.from({ length: 600 }, () => freshMeter(60, 1000));
  limiter = fallbackOver(createStoreLimiter(quotaStore, systemClock), { retryMs: 60_000 });
  store = 'failing';
  for (const meter of meters) await limiter.charge(meter, 1);
  store = 'up';
  const inner = { ...quotaStore };
  quotaStore.add = (meter, ...given) =>
    meter.id === meters[0]?.id ? Promise.reject(cut()) : inner.add(meter, ...given);
  await limiter.close();
  const states = await storeLimiter.peekMany(meters);
  expect(states.filter(([minute]) => minute?.used === 1)).toHaveLength(599);
});

test('a process that ends while the store is silent ends all the same', async () => {
  store = 'silent';
  await chargeTimes(20);
  await expect(limiter.close()).resolves.toBeUndefined();
});

describe('while the store takes what was admitted', () => {
  const meter = () => freshMeter(60, 1000);
  let adds: number;

  /** Runs before the answer of each `add`, with the number of calls so far. */
  function onAdd(step: (nth: number) => void | Promise<void>): void {
    adds = 0;
    const inner = { ...quotaStore };
    quotaStore.add = async (...given) => {
      const counts = await inner.add(...given);
      await step((adds += 1));
      return counts;
    };
  }

  beforeEach(async () => {
    await limiter.close();
    limiter = guarded(1, 60_000);
  });

  test('what is admitted while other processes settle reaches the store before local limits end', async () => {
    const one = meter();
    limiter = guarded(2, CALL_TIMEOUT_MS, 60_000);
    const usedIs = (units: number) => async () =>
      (await storeLimiter.peek(one)).every(({ used }) => used === units);
    store = 'failing';
    await chargeTimes(1, one);
    store = 'up';
    await until('the settlement', usedIs(1));
    expect(admitted(await chargeTimes(5, one))).toBe(5);
    await until('the store to have the rest', usedIs(6));
    expect(limiter.state().down).toBe(true);
    // Others are back at the store, and nothing remains.
    await storeLimiter.charge(one, 54);
    await chargeTimes(1, one);
    await until('the store to have that too', usedIs(61));
    expect(limiter.remembered(one, 1)).toMatchObject({ admitted: false });
  });

  test.each([1, 2])('what is admitted during add %i reaches the store as well', async (last) => {
    const one = meter();
    const meanwhile: Promise<Decision[]>[] = [];
    onAdd((nth) => {
      if (nth <= last) meanwhile.push(chargeTimes(3, one));
    });
    store = 'failing';
    await chargeTimes(1, one);
    await repair();
    const count = 1 + admitted((await Promise.all(meanwhile)).flat());
    expect(count).toBe(1 + 3 * last);
    expect(admitted(await chargeTimes(100, one))).toBe(60 - count);
  });

  test('what is admitted until the process ends reaches the store as well', async () => {
    const one = meter();
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    onAdd((nth) => (nth === 1 ? answered : undefined));
    const inner = { ...quotaStore };
    let isConnected = true;
    quotaStore.add = async (...given) => {
      await turns(1);
      return isConnected ? inner.add(...given) : Promise.reject(cut());
    };
    store = 'failing';
    await chargeTimes(1, one);
    store = 'up';
    await until('the add', () => Promise.resolve(adds === 1));
    expect(admitted(await chargeTimes(20, one))).toBe(20);
    const closed = limiter.close();
    answer();
    await closed;
    isConnected = false;
    await turns(20);
    expect((await storeLimiter.peek(one))[0]).toMatchObject({ used: 21 });
  });

  test.each([
    { when: 'before', stuck: 2 },
    { when: 'after', stuck: 3 },
  ])('no request waits for an answer that does not come, $when the recovery', async ({ stuck }) => {
    const [one, other] = [meter(), meter()];
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    const meanwhile: Promise<Decision[]>[] = [];
    onAdd((nth) => {
      if (nth < stuck) meanwhile.push(chargeTimes(3, one));
      return nth === stuck ? answered : undefined;
    });
    store = 'failing';
    await chargeTimes(1, one);
    store = 'up';
    await until('the add', () => Promise.resolve(adds === stuck));
    expect(limiter.state().down).toBe(stuck === 2);
    const decisions = [...(await chargeTimes(5, other)), ...(await chargeTimes(5, one))];
    expect(admitted(decisions)).toBe(10);
    expect(limiter.state().down).toBe(true);
    answer();
    await repair();
    expect(admitted((await Promise.all(meanwhile)).flat())).toBe(3 * (stuck - 1));
    expect(admitted(await chargeTimes(100, one))).toBe(60 - 1 - 3 * (stuck - 1) - 5);
    expect(admitted(await chargeTimes(100, other))).toBe(55);
  });
});

test('a store that is down is probed again and again, once at a time, without any request', async () => {
  store = 'failing';
  await chargeTimes(1);
  await until('some probes', () => Promise.resolve(probes.made > 3));
  expect(probes.mostAtOnce).toBe(1);
  expect(recoveries).toBe(0);
});

test('what was asked before a recovery and fails after it is no new outage', async () => {
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

test('a check says why the store takes no writes, and starts no outage', async () => {
  expect(await limiter.check()).toBeUndefined();
  store = 'failing';
  expect(await limiter.check()).toBeInstanceOf(Error);
  expect({ outages, down: limiter.state().down }).toEqual({ outages: 0, down: false });
  await chargeTimes(1);
  expect(outages).toBe(1);
  expect(await limiter.check()).toBeInstanceOf(Error);
  await repair();
  expect(await limiter.check()).toBeUndefined();
});

test('a check of a store that is known to be down asks nothing', async () => {
  store = 'failing';
  await chargeTimes(1);
  const { made } = probes;
  const checked = limiter.check();
  expect(probes.made).toBe(made);
  expect(await checked).toBeInstanceOf(Error);
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

test('a refusal of the store before it failed is still remembered', async () => {
  const meter = freshMeter(1, 1000);
  await chargeTimes(2, meter);
  store = 'failing';
  expect(limiter.remembered(meter, 1)).toMatchObject({ admitted: false, refusedBy: ['minute'] });
});

test('what the local limit refused is refused from memory for as long as the store is down', async () => {
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

test('an error that is none of the store is not taken for an outage', async () => {
  quotaStore.decide = () => Promise.reject(new TypeError('a bug'));
  await expect(limiter.charge(freshMeter(1, 1), 1)).rejects.toBeInstanceOf(TypeError);
  expect(outages).toBe(0);
});

test('a key that is charged all the time does not keep the other keys from the store', async () => {
  const meter = freshMeter(1_000_000, 10_000_000);
  store = 'failing';
  await limiter.charge(meter, 1);
  const add = quotaStore.add.bind(quotaStore);
  let adds = 0;
  // As under a steady load: whenever something is added, something new was admitted meanwhile.
  quotaStore.add = async (...given) => {
    const added = await add(...given);
    adds += 1;
    void limiter.charge(meter, 1);
    await new Promise(setImmediate);
    return added;
  };
  store = 'up';
  await until('the recovery', () => Promise.resolve(recoveries === 1));
  expect(adds).toBeLessThan(10);
});
