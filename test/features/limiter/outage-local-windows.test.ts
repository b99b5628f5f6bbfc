import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { FallbackLimiter } from '../../support/store-limiter.js';
import { QuotaStoreError } from '../../../src/features/limiter/limiter.js';
import { createStoreLimiter } from '../../support/store-limiter.js';
import type { Meter } from '../../../src/features/plans/window.js';
import { systemClock } from '../../../src/lib/clock.js';
import { freshMeter, meterOf } from '../../contract/limiter.js';
import { freezeDate, MIDNIGHT, moveDateBy, moveDateTo, NOON, releaseDate } from '../../support/fake-date.js';
import { fallbackOver } from '../../support/fallback-limiter.js';
import { createMemoryQuotaStore } from '../../support/memory-quota-store.js';
import { quotaStoreThrough, type ThroughStore } from '../../support/quota-store-through.js';
import { turns } from '../../support/turns.js';
import { until } from '../../support/until.js';

/** Of one call of the store. A request waits much longer. */
const STORE_TIMEOUT_MS = 200;

/** How the store answers for a key. */
let answers: (id: string) => 'at once' | 'with an error' | 'never';
let outages: number;
/** A stopwatch that nobody sets with the clock. */
let passedMs: number;
let limiter: FallbackLimiter;

beforeEach(() => {
  answers = () => 'at once';
  outages = passedMs = 0;
});
afterEach(() => limiter.close());

function limiterWith(shares: number, stopwatchMs?: () => number): FallbackLimiter {
  const memory = createMemoryQuotaStore(systemClock);
  const through: ThroughStore = async (call, id) => {
    const how = answers(id);
    if (how === 'with an error') throw new QuotaStoreError(new Error('cut'));
    return how === 'never' ? new Promise(() => undefined) : call();
  };
  const store = quotaStoreThrough(memory, through);
  return fallbackOver(createStoreLimiter(store, systemClock, stopwatchMs, STORE_TIMEOUT_MS), {
    shares,
    retryMs: 20,
    probe: () => through(() => Promise.resolve(), 'the probe'),
    onOutage: () => void (outages += 1),
    ...(stopwatchMs && { stopwatchMs }),
  });
}

const recovered = () => until('the recovery', () => Promise.resolve(!limiter.state().down));

async function admittedOf(meter: Meter, count: number): Promise<number> {
  const asked = Array.from({ length: count }, () => limiter.charge(meter, 1));
  return (await Promise.all(asked)).filter(({ admitted }) => admitted).length;
}

test('a request that waits for the store is decided without it as soon as another request finds an outage', async () => {
  limiter = limiterWith(1);
  const [stuck, other] = [freshMeter(60, 1000), freshMeter(60, 1000)];
  answers = (id) => (id === stuck.id ? 'never' : 'with an error');
  let decided = 0;
  const note = () => void (decided += 1);
  const waiting = [
    limiter.charge(stuck, 1).then(note),
    limiter.foresee(stuck, 1).then(note),
    limiter.peek(stuck).then(note),
  ];
  await turns(2);
  expect(decided).toBe(0);
  await limiter.charge(other, 1);
  await turns(1);
  expect(decided).toBe(waiting.length);
});

test('a call from before a recovery that fails after it is no outage for the requests behind it', async () => {
  limiter = limiterWith(1);
  const [stuck, other] = [freshMeter(60, 1000), freshMeter(60, 1000)];
  answers = (id) => (id === stuck.id ? 'never' : 'at once');
  const before = limiter.charge(stuck, 1);
  await turns(2);
  answers = () => 'with an error';
  await limiter.charge(other, 1);
  answers = () => 'at once';
  await recovered();
  await Promise.all([before, limiter.charge(stuck, 1)]);
  expect(outages).toBe(1);
});

describe('the windows of an outage', () => {
  beforeEach(() => freezeDate(NOON));
  afterEach(releaseDate);

  function pass(ms: number, byTheClock = ms): void {
    passedMs += ms;
    moveDateBy(byTheClock);
  }

  test.each([
    {
      when: 'when the clock of the gateway is set forward',
      startMs: NOON,
      aDay: 100_000,
      ms: 11_000,
      byTheClock: 3_611_000,
    },
    {
      when: 'at a midnight of the gateway that is not the store’s',
      startMs: MIDNIGHT - 120_000,
      aDay: 60,
      ms: 118_000,
      byTheClock: 120_000,
    },
  ])('do not end $when', async ({ startMs, aDay, ms, byTheClock }) => {
    moveDateTo(startMs);
    limiter = limiterWith(1, () => passedMs);
    const meter = freshMeter(60, aDay);
    const before = await admittedOf(meter, 60);
    answers = () => 'with an error';
    await limiter.peek(meter);
    pass(ms, byTheClock);
    expect(before + (await admittedOf(meter, 100))).toBe(60);
  });

  test.each([
    ['before', 119_000],
    ['after', 119_000],
    ['before', -3_420_000],
  ])('of a day end with the store’s day: an outage %s it, %i ms by the clock', async (found, byTheClock) => {
    moveDateTo(MIDNIGHT - 120_000);
    limiter = limiterWith(1, () => passedMs);
    const meter = freshMeter(100, 60);
    await limiter.charge(meter, 1);
    const cut = async () => {
      answers = () => 'with an error';
      await limiter.peek(meter);
    };
    if (found === 'before') await cut();
    pass(120_000, byTheClock);
    if (found === 'after') await cut();
    const first = await admittedOf(meter, 60);
    pass(120_000 - byTheClock);
    expect(first + (await admittedOf(meter, 60))).toBe(60);
  });

  test('begin with a request, and not with a look', async () => {
    limiter = limiterWith(1, () => passedMs);
    const meter = freshMeter(60, 100_000);
    answers = () => 'with an error';
    const [minute] = await limiter.peek(meter);
    expect(minute).toMatchObject({ used: 0, resetAtMs: undefined });
    pass(59_000);
    const first = await admittedOf(meter, 60);
    pass(1000);
    expect(first + (await admittedOf(meter, 60))).toBe(60);
  });

  test('do not end while a request is decided', async () => {
    let stepMs = 0;
    limiter = limiterWith(4, () => (passedMs += stepMs));
    answers = () => 'with an error';
    await limiter.peek(freshMeter(60, 1000));
    for (let readings = 0; readings < 20; readings++) {
      stepMs = 0;
      const meter = freshMeter(60, 100_000);
      await limiter.charge(meter, 1);
      // Each reading of the stopwatch adds 1 ms. The window ends between two of these readings.
      passedMs += 60_000 - readings - 0.5;
      stepMs = 1;
      expect(await limiter.charge(meter, 16)).toMatchObject({ admitted: false });
      const { windows } = await limiter.charge(meter, 1);
      expect(windows[0]?.remaining).toBeLessThan(15);
    }
  });

  test('each give this process its share, also the requests at their boundary', async () => {
    limiter = limiterWith(4, () => passedMs);
    const meter = freshMeter(60, 100_000);
    answers = () => 'with an error';
    expect(await admittedOf(meter, 100)).toBe(15);
    // Two clocks that round differ by a millisecond.
    pass(60_000, 59_999);
    const first = await admittedOf(meter, 1);
    pass(1);
    expect(first + (await admittedOf(meter, 100))).toBe(15);
  });
});

test('a request that was authenticated before a reset does not lose what was admitted after it', async () => {
  limiter = limiterWith(1);
  const meter = freshMeter(60, 1000);
  const reset = meterOf(meter.id, 60, 1000, 1);
  answers = () => 'with an error';
  const before = await admittedOf(reset, 60);
  await limiter.charge(meter, 1);
  answers = () => 'at once';
  await recovered();
  expect(before + (await admittedOf(reset, 60))).toBe(60);
});

test('what was admitted without the store is forgotten once the store has it', async () => {
  limiter = limiterWith(1);
  const meters = Array.from({ length: 100 }, () => freshMeter(1000, 10_000));
  const outage = async () => {
    answers = () => 'with an error';
    await Promise.all(meters.map((meter) => limiter.charge(meter, 1)));
    answers = () => 'at once';
    await recovered();
    await Promise.all(meters.map((meter) => limiter.charge(meter, 1)));
  };
  const OUTAGES = 40;
  for (let i = 0; i < 5; i++) await outage();
  const before = heapInUse();
  for (let i = 0; i < OUTAGES; i++) await outage();
  const ofEachKey = (heapInUse() - before) / (OUTAGES * meters.length);
  // A counter with its timer has about 900.
  expect(ofEachKey).toBeLessThan(200);
});

/** Bytes, after a collection. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
