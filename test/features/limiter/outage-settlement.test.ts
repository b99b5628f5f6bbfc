import type { FallbackLimiter } from '../../support/store-limiter.js';
import { QuotaStoreError, type Decision } from '../../../src/features/limiter/limiter.js';
import { createStoreLimiter } from '../../support/store-limiter.js';
import type { Meter } from '../../../src/features/plans/window.js';
import { DAY_MS, MINUTE_MS, systemClock } from '../../../src/lib/clock.js';
import { freshMeter, meterOf } from '../../contract/limiter.js';
import { fallbackOver } from '../../support/fallback-limiter.js';
import { freezeDate, MIDNIGHT, moveDateBy, moveDateTo, NOON, releaseDate } from '../../support/fake-date.js';
import { createMemoryQuotaStore } from '../../support/memory-quota-store.js';
import { quotaStoreThrough } from '../../support/quota-store-through.js';
import { turns } from '../../support/turns.js';
import { until } from '../../support/until.js';

// A local window and the window of the store are one window, or two, although each side knows the end of it only as
// exactly as an answer takes time: one process alone never admits more than the limit in it.

const PROBE = 'the probe';
const cut = () => new QuotaStoreError(new Error('cut'));

/** What the stopwatch has counted. The clock of the store, Date, goes on with it. */
let passedMs: number;
/** How long the stopwatch takes to be read. */
let readingMs: number;
/** Which questions about which keys get through. */
let isUp: (id: string) => boolean;
/** How long an answer about a key is on its way. */
let answerMs: (id: string) => number;
/** Called before the store gets a question, and again before its answer leaves. */
let onTheWay: (id: string) => Promise<void>;
let limiter: FallbackLimiter;

beforeEach(() => {
  freezeDate(NOON);
  passedMs = readingMs = 0;
  isUp = () => true;
  answerMs = () => 0;
  onTheWay = () => Promise.resolve();
  const stopwatchMs = () => (passedMs += readingMs);
  const through = async <T>(call: () => Promise<T>, id: string): Promise<T> => {
    if (!isUp(id)) throw cut();
    await onTheWay(id);
    const answer = await call();
    await onTheWay(id);
    pass(answerMs(id));
    return answer;
  };
  const store = quotaStoreThrough(createMemoryQuotaStore(systemClock), through);
  limiter = fallbackOver(createStoreLimiter(store, systemClock, stopwatchMs), {
    retryMs: 20,
    stopwatchMs,
    probe: () => through(() => Promise.resolve(), PROBE),
  });
});
afterEach(async () => {
  await limiter.close();
  releaseDate();
});

function pass(ms: number): void {
  passedMs += ms;
  moveDateBy(ms);
}
const passUntil = (timeMs: number) => pass(timeMs - Date.now());

async function admittedOf(meter: Meter, count = 100): Promise<number> {
  const decisions = await Promise.all(Array.from({ length: count }, () => limiter.charge(meter, 1)));
  return decisions.filter(({ admitted }) => admitted).length;
}

async function beginOutage(): Promise<void> {
  isUp = () => false;
  await limiter.peek(freshMeter(1, 1));
  expect(limiter.state().down).toBe(true);
}

async function endOutage(): Promise<void> {
  isUp = () => true;
  await until('the recovery', () => Promise.resolve(!limiter.state().down));
}

/** These passes of what is asked about the key wait, in this order: each question has two, there and back. */
function holdBack(key: Meter, passes: readonly number[]) {
  const held: (() => void)[] = [];
  let count = 0;
  onTheWay = (id) =>
    id === key.id && passes.includes(++count)
      ? new Promise((resolve) => held.push(resolve))
      : Promise.resolve();
  return {
    untilHeld: (nth: number) => until(`pass ${nth} to wait`, () => Promise.resolve(held.length === nth)),
    letPass: (nth: number) => held[nth - 1]?.(),
  };
}

/** A request about another key finds an outage, so the waiting one is decided without the store. */
async function decideWithoutStore(key: Meter, waiting: Promise<Decision>): Promise<void> {
  isUp = (id) => id === key.id;
  await limiter.charge(freshMeter(60, 100_000), 1);
  expect(await waiting).toMatchObject({ admitted: true });
}

/** The store gets the next request about the key after this time. Meanwhile the request is decided without the store. */
async function chargeLate(key: Meter, ms: number): Promise<void> {
  const { untilHeld, letPass } = holdBack(key, [1]);
  const waiting = limiter.charge(key, 1);
  await untilHeld(1);
  await decideWithoutStore(key, waiting);
  pass(ms);
  letPass(1);
  // The store returns its units.
  await turns(10);
  isUp = () => false;
}

test.each([0, 100])(
  'a day that begins in an outage is whole, however late (%i ms) another key heard of its end',
  async (ms) => {
    moveDateTo(MIDNIGHT - MINUTE_MS);
    const [key, other] = [freshMeter(60, 60), freshMeter(60, 60)];
    await limiter.charge(key, 1);
    answerMs = () => ms;
    await limiter.charge(other, 1);
    await beginOutage();
    passUntil(MIDNIGHT + 50);
    expect(await admittedOf(key)).toBe(60);
    pass(MINUTE_MS);
    expect(await admittedOf(key)).toBe(0);
  },
);

test('a day that begins in an outage of more than a day is whole', async () => {
  moveDateTo(MIDNIGHT - MINUTE_MS);
  answerMs = () => 100;
  await limiter.charge(freshMeter(60, 60), 1);
  await beginOutage();
  passUntil(MIDNIGHT + DAY_MS + 50);
  const key = freshMeter(60, 60);
  expect(await admittedOf(key)).toBe(60);
  pass(MINUTE_MS);
  expect(await admittedOf(key)).toBe(0);
});

test.each([0, 1, 100, 1000])(
  'a minute that was settled in an outage ends once (%i ms for the answer)',
  async (ms) => {
    const [key, failing] = [freshMeter(60, 100_000), freshMeter(60, 100_000)];
    await limiter.charge(key, 1);
    await beginOutage();
    expect(await admittedOf(key, 39)).toBe(39);
    await limiter.charge(failing, 1);
    pass(30_000);
    let settled = 0;
    answerMs = (id) => (id === key.id ? ms : 0);
    isUp = (id) => id === PROBE || (id === key.id && settled++ === 0);
    await until('the settlement of one key', () => Promise.resolve(settled > 0));
    isUp = () => false;
    await turns(20);
    expect(await admittedOf(key)).toBe(20);
    passUntil(NOON + MINUTE_MS);
    const atItsEnd = await admittedOf(key);
    pass(ms);
    expect(atItsEnd + (await admittedOf(key))).toBe(60);
  },
);

test('a minute of which the store returned units in an outage ends once', async () => {
  const [key, failing] = [freshMeter(60, 100_000), freshMeter(60, 100_000)];
  await limiter.charge(key, 1);
  pass(1000);
  let deliver: () => void = () => undefined;
  const delivered = new Promise<void>((resolve) => (deliver = resolve));
  let passes = 0;
  // The answer of the next request waits, and the store returns its units later.
  onTheWay = (id) => (id === key.id && ++passes === 2 ? delivered : Promise.resolve());
  const waiting = limiter.charge(key, 1);
  await turns(3);
  isUp = (id) => id === key.id;
  await limiter.charge(failing, 1);
  await waiting;
  answerMs = () => 300;
  deliver();
  await turns(10);
  isUp = () => false;
  expect(await admittedOf(key)).toBe(58);
  passUntil(NOON + MINUTE_MS);
  const atItsEnd = await admittedOf(key);
  pass(300);
  expect(atItsEnd + (await admittedOf(key))).toBe(60);
});

test('a minute ends once, however long the stopwatch takes to be read', async () => {
  const key = freshMeter(60, 100_000);
  await limiter.charge(key, 1);
  await beginOutage();
  readingMs = 1;
  await limiter.charge(key, 1);
  readingMs = 0;
  expect(await admittedOf(key)).toBe(58);
  const [minute] = await limiter.peek(key);
  pass((minute?.resetAtMs ?? 0) - Date.now() - 3);
  let admitted = 0;
  for (let i = 0; i < 12; i++) {
    admitted += await admittedOf(key);
    pass(0.5);
  }
  expect(admitted).toBe(60);
});

test('a request from before a reset does not make the process forget what was used since', async () => {
  const old = freshMeter(60, 1000);
  const key = meterOf(old.id, 60, 1000, 1);
  expect(await admittedOf(key, 40)).toBe(40);
  await limiter.charge(old, 1);
  await beginOutage();
  expect(await admittedOf(key)).toBe(20);
});

test('what is settled just after the end of its minute in the store begins no short minute', async () => {
  const key = freshMeter(60, 100_000);
  answerMs = () => 200;
  await limiter.charge(key, 50);
  answerMs = () => 0;
  await beginOutage();
  await limiter.charge(key, 1);
  passUntil(NOON + MINUTE_MS + 100);
  await endOutage();
  const first = await admittedOf(key);
  pass(101);
  expect(first + (await admittedOf(key))).toBe(60);
});

test('what fills a minute of this process is not settled into one that is about to end', async () => {
  const [key, failing] = [freshMeter(60, 100_000), freshMeter(60, 100_000)];
  let arrive: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  let passes = 0;
  // The store gets the request late, and its answer is lost.
  onTheWay = async (id) => {
    if (id !== key.id) return;
    passes += 1;
    if (passes === 1) await arrived;
    if (passes === 2) throw cut();
  };
  const waiting = limiter.charge(key, 1);
  await turns(3);
  isUp = () => false;
  await limiter.charge(failing, 1);
  expect(await waiting).toMatchObject({ admitted: true });
  pass(500);
  arrive();
  await turns(5);
  passUntil(NOON + MINUTE_MS + 100);
  expect(await admittedOf(key)).toBe(60);
  pass(100);
  await endOutage();
  pass(400);
  expect(await admittedOf(key)).toBe(0);
});

test('after a minute of its own, a process that hears of a later one begins a whole one', async () => {
  const key = freshMeter(60, 100_000);
  await chargeLate(key, 10_000);
  expect(await admittedOf(key)).toBe(59);
  passUntil(NOON + MINUTE_MS);
  expect(await admittedOf(key)).toBe(60);
  pass(10_000);
  expect(await admittedOf(key)).toBe(0);
});

test('what fills a minute of this process is not settled into one with room for it that is about to end', async () => {
  const key = freshMeter(60, 100_000);
  await chargeLate(key, 500);
  passUntil(NOON + MINUTE_MS - 100);
  expect(await admittedOf(key)).toBe(59);
  passUntil(NOON + MINUTE_MS + 100);
  expect(await admittedOf(key)).toBe(60);
  pass(100);
  await endOutage();
  pass(400);
  expect(await admittedOf(key)).toBe(0);
});

test('a whole minute of this process stays whole when it is settled into a later one of the store', async () => {
  const key = freshMeter(60, 100_000);
  await chargeLate(key, 10_000);
  pass(45_000);
  expect(await admittedOf(key)).toBe(59);
  passUntil(NOON + MINUTE_MS);
  expect(await admittedOf(key)).toBe(60);
  pass(5000);
  await endOutage();
  expect(await admittedOf(key)).toBe(0);
  pass(6000);
  expect(await admittedOf(key)).toBe(0);
});

test('an answer about returned units that a settlement overtakes is not what the process knows', async () => {
  const key = freshMeter(60, 100_000);
  // The answers about the request and about the return of its units.
  const { untilHeld, letPass } = holdBack(key, [2, 4]);
  const waiting = limiter.charge(key, 50);
  await untilHeld(1);
  await decideWithoutStore(key, waiting);
  pass(1);
  letPass(1);
  await untilHeld(2);
  await endOutage();
  letPass(2);
  await turns(10);
  await beginOutage();
  expect(await admittedOf(key)).toBe(10);
});

test('a minute that ended before it was settled counts in a later one that runs in the store', async () => {
  const key = freshMeter(60, 100_000);
  await chargeLate(key, 10_000);
  passUntil(NOON + MINUTE_MS - 1000);
  expect(await admittedOf(key)).toBe(59);
  passUntil(NOON + MINUTE_MS + 3000);
  await endOutage();
  const first = await admittedOf(key);
  pass(10_000);
  expect(first + (await admittedOf(key))).toBe(60);
});

test('units that the store returned can be used at once, although a settlement was answered meanwhile', async () => {
  const key = freshMeter(60, 100_000);
  // The answers about the request, its settlement and the return of its units.
  const { untilHeld, letPass } = holdBack(key, [2, 4, 6]);
  const waiting = limiter.charge(key, 50);
  await untilHeld(1);
  await decideWithoutStore(key, waiting);
  isUp = () => true;
  pass(1);
  await untilHeld(2);
  letPass(1);
  await untilHeld(3);
  for (const nth of [2, 3]) {
    pass(1);
    letPass(nth);
    await turns(10);
  }
  await until('the recovery', () => Promise.resolve(!limiter.state().down));
  pass(5000);
  expect(await admittedOf(key)).toBe(10);
});
