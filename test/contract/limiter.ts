import type { QuotaStore } from '../../src/features/limiter/quota-store.js';
import { QuotaStoreError, type Decision, type Limiter } from '../../src/features/limiter/limiter.js';
import { createStoreLimiter, type StoreLimiter } from '../support/store-limiter.js';
import type { Meter, WindowName } from '../../src/features/plans/window.js';
import { freezeDate, MIDNIGHT, moveDateBy, moveDateTo, NOON, releaseDate } from '../support/fake-date.js';
import { until } from '../support/until.js';

export interface StoreUnderTest {
  /** A store on the same counts, as another process has it. Its clock is Date. */
  open: () => QuotaStore;
  close: () => Promise<void>;
}

const clock = () => Date.now();
let meters = 0;

/** A meter that nothing was counted on. */
export function freshMeter(minute: number, day: number): Meter {
  return meterOf(`key_${++meters}`, minute, day);
}

export function meterOf(id: string, minute: number, day: number, epoch = 0): Meter {
  return {
    id,
    windows: [
      { name: 'minute', limit: minute, epoch },
      { name: 'day', limit: day, epoch },
    ],
  };
}

/** A process: a limiter that knows nothing yet. */
export const limiterOn = (store: QuotaStore, callTimeoutMs?: number): StoreLimiter =>
  createStoreLimiter(store, clock, clock, callTimeoutMs);

const admissions = (decisions: readonly Decision[]) => decisions.map(({ admitted }) => admitted);
const admittedCount = (decisions: readonly Decision[]) => decisions.filter((d) => d.admitted).length;
const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

async function usedIn(limiter: Limiter, meter: Meter): Promise<Record<WindowName, number>> {
  const windows = await limiter.peek(meter);
  return Object.fromEntries(windows.map(({ name, used }) => [name, used])) as Record<WindowName, number>;
}

function signal(): { given: Promise<void>; give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** A store that counts how often it is asked. */
function countingCalls(store: QuotaStore) {
  const calls = { decide: 0, add: 0, read: 0 };
  const counted: QuotaStore = {
    ...store,
    decide: (...given) => ((calls.decide += 1), store.decide(...given)),
    add: (...given) => ((calls.add += 1), store.add(...given)),
    read: (...given) => ((calls.read += 1), store.read(...given)),
  };
  return { counted, calls, total: () => calls.decide + calls.add + calls.read };
}

/** A store whose answers to `decide` wait; it decides at once. */
function answeringLate(store: QuotaStore) {
  const answers = signal();
  const late: QuotaStore = {
    ...store,
    async decide(...given) {
      const outcome = await store.decide(...given);
      await answers.given;
      return outcome;
    },
  };
  return { late, answer: answers.give };
}

/** What the limiter over every store keeps to: see src/features/limiter/limiter.ts. */
export function describeLimiter(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`limiter over ${name}`, () => {
    let underTest: StoreUnderTest;
    let store: QuotaStore;
    let limiter: StoreLimiter;

    beforeAll(async () => {
      underTest = await make();
      store = underTest.open();
    });
    afterAll(() => underTest.close());
    beforeEach(() => {
      freezeDate(NOON);
      limiter = limiterOn(store);
    });
    afterEach(releaseDate);

    describe('admission', () => {
      test('exactly the limit of 200 requests at once', async () => {
        const meter = freshMeter(60, 1000);
        const decisions = await Promise.all(times(200, () => limiter.charge(meter, 1)));
        expect(admissions(decisions)).toEqual([...times(60, () => true), ...times(140, () => false)]);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 60, day: 60 });
      });

      test('mixed costs at once: each is admitted exactly when that much is left', async () => {
        const meter = freshMeter(10, 1000);
        const decisions = await Promise.all([4, 7, 3, 5, 2, 1, 1].map((cost) => limiter.charge(meter, cost)));
        expect(admissions(decisions)).toEqual([true, false, true, false, true, true, false]);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 10, day: 10 });
      });

      test('a cost above what is left is refused while a cheaper one passes', async () => {
        const meter = freshMeter(10, 1000);
        await limiter.charge(meter, 7);
        expect(await limiter.charge(meter, 4)).toMatchObject({ admitted: false, refusedBy: ['minute'] });
        expect(await limiter.charge(meter, 3)).toMatchObject({ admitted: true });
        expect(await limiter.charge(meter, 1)).toMatchObject({ admitted: false });
      });

      test('the day limits as well, and a refusal costs nothing in either window', async () => {
        const meter = freshMeter(60, 5);
        await limiter.charge(meter, 4);
        const refused = await limiter.charge(meter, 2);
        expect(refused).toMatchObject({
          admitted: false,
          refusedBy: ['day'],
          retryAfterMs: MIDNIGHT - NOON,
        });
        expect(await usedIn(limiter, meter)).toEqual({ minute: 4, day: 4 });
        expect(await limiter.charge(meter, 1)).toMatchObject({ admitted: true });
      });

      test('a refusal by both windows tells the longer wait', async () => {
        const meter = freshMeter(3, 3);
        await limiter.charge(meter, 3);
        expect(await limiter.charge(meter, 1)).toMatchObject({
          refusedBy: ['minute', 'day'],
          retryAfterMs: MIDNIGHT - NOON,
        });
      });

      test('a refusal names the windows that have less than the cost left, and no other', async () => {
        const meter = freshMeter(3, 4);
        await limiter.charge(meter, 2);
        expect(await limiter.charge(meter, 2)).toMatchObject({ admitted: false, refusedBy: ['minute'] });
      });

      test('a request admitted beside a rejected one learns what is left without that one', async () => {
        const meter = freshMeter(10, 1000);
        const decisions = await Promise.all([4, 7, 3].map((cost) => limiter.charge(meter, cost)));
        expect(admissions(decisions)).toEqual([true, false, true]);
        expect(decisions[2]?.windows.map(({ remaining }) => remaining)).toEqual([3, 993]);
      });

      test('an admission takes one call of the store', async () => {
        const { counted, calls } = countingCalls(store);
        await limiterOn(counted).charge(freshMeter(10, 1000), 10);
        expect(calls).toEqual({ decide: 1, add: 0, read: 0 });
      });

      test('requests of a key that wait together go to the store as one', async () => {
        const { counted, calls } = countingCalls(store);
        const meter = freshMeter(60, 1000);
        const busy = limiterOn(counted);
        await Promise.all(times(200, () => busy.charge(meter, 1)));
        expect(calls).toEqual({ decide: 1, add: 0, read: 0 });
      });

      test('many keys at once, each exactly its own', async () => {
        const many = times(40, () => freshMeter(3, 1000));
        const decisions = await Promise.all(
          many.map((meter, i) => Promise.all(times((i % 5) + 1, () => limiter.charge(meter, 1)))),
        );
        expect(decisions.map(admittedCount)).toEqual(many.map((_meter, i) => Math.min(3, (i % 5) + 1)));
        const found = await limiter.peekMany(many);
        expect(found.map(([minute]) => minute?.used)).toEqual(
          many.map((_meter, i) => Math.min(3, (i % 5) + 1)),
        );
      });

      test('remaining never overstates: requests that are charged together learn what is left after all of them', async () => {
        const meter = freshMeter(60, 1000);
        const decisions = await Promise.all(times(50, () => limiter.charge(meter, 1)));
        const reported = decisions.map(({ windows }) => windows.map(({ remaining }) => remaining));
        expect(reported).toEqual(times(50, () => [10, 950]));
      });
    });

    describe('windows', () => {
      test('the minute runs for 60 s from its first request', async () => {
        const meter = freshMeter(2, 1000);
        moveDateTo(NOON + 30_500);
        const [minute] = (await limiter.charge(meter, 2)).windows;
        expect(minute?.resetAtMs).toBe(NOON + 90_500);
        moveDateTo(NOON + 90_499);
        expect(await limiter.charge(meter, 1)).toMatchObject({ admitted: false, retryAfterMs: 1 });
        moveDateTo(NOON + 90_500);
        expect(await limiter.charge(meter, 2)).toMatchObject({ admitted: true });
        expect(await usedIn(limiter, meter)).toEqual({ minute: 2, day: 4 });
      });

      test('the day ends at midnight UTC, whenever it began', async () => {
        const meter = freshMeter(1000, 2);
        moveDateTo(MIDNIGHT - 1_500);
        const [, day] = (await limiter.charge(meter, 2)).windows;
        expect(day?.resetAtMs).toBe(MIDNIGHT);
        moveDateTo(MIDNIGHT - 1);
        expect(await limiter.charge(meter, 1)).toMatchObject({ admitted: false, retryAfterMs: 1 });
        moveDateTo(MIDNIGHT);
        expect(await limiter.charge(meter, 2)).toMatchObject({ admitted: true });
        expect(await usedIn(limiter, meter)).toEqual({ minute: 4, day: 2 });
      });

      test('a window that has ended is reported as not started', async () => {
        const meter = freshMeter(2, 1000);
        await limiter.charge(meter, 2);
        moveDateBy(60_000);
        expect(await limiter.peek(meter)).toEqual([
          { name: 'minute', limit: 2, used: 0, remaining: 2, resetAtMs: undefined },
          { name: 'day', limit: 1000, used: 2, remaining: 998, resetAtMs: MIDNIGHT },
        ]);
      });

      test('in the last moments of a window refusals still cost nothing', async () => {
        const meter = freshMeter(10, 1000);
        await limiter.charge(meter, 8);
        moveDateBy(59_999);
        expect(await limiter.charge(meter, 3)).toMatchObject({ admitted: false });
        expect(await usedIn(limiter, meter)).toEqual({ minute: 8, day: 8 });
        expect(await limiter.charge(meter, 2)).toMatchObject({ admitted: true });
      });

      test('a window starts with the first unit that it counts', async () => {
        const meter = freshMeter(10, 3);
        await limiter.charge(meter, 3);
        moveDateBy(60_000);
        const refused = await limiter.charge(meter, 1);
        expect(refused).toMatchObject({ admitted: false, refusedBy: ['day'] });
        expect(refused.windows[0]).toMatchObject({ used: 0, resetAtMs: undefined });
      });

      test('one that ends later than one that starts now would, ends like that one', async () => {
        const meter = freshMeter(10, 1000);
        await limiter.charge(meter, 4);
        // The clock of the store is set back.
        moveDateBy(-30_000);
        expect((await limiterOn(store).charge(meter, 1)).windows[0]).toMatchObject({
          used: 5,
          resetAtMs: NOON + 30_000,
        });
      });
    });

    describe('reset', () => {
      test('a raised epoch begins a fresh counter', async () => {
        const meter = freshMeter(3, 1000);
        await Promise.all(times(5, () => limiter.charge(meter, 1)));
        const reset = meterOf(meter.id, 3, 1000, 1);
        expect(admittedCount(await Promise.all(times(5, () => limiter.charge(reset, 1))))).toBe(3);
      });

      test('a process that has not heard of it yet does not bring back the counts of before', async () => {
        const meter = freshMeter(3, 1000);
        await limiter.charge(meter, 3);
        const reset = meterOf(meter.id, 3, 1000, 1);
        expect(await limiter.charge(reset, 2)).toMatchObject({ admitted: true });
        await limiterOn(store).charge(meter, 1);
        const [minute] = await limiterOn(store).peek(reset);
        expect(minute?.used).toBeGreaterThanOrEqual(2);
        expect(await limiter.charge(reset, 2)).toMatchObject({ admitted: false });
      });

      test('a reset of one window leaves the other', async () => {
        const meter = freshMeter(3, 4);
        await limiter.charge(meter, 3);
        const reset: Meter = {
          id: meter.id,
          windows: [
            { name: 'minute', limit: 3, epoch: 1 },
            { name: 'day', limit: 4, epoch: 0 },
          ],
        };
        expect(await limiter.charge(reset, 2)).toMatchObject({ admitted: false, refusedBy: ['day'] });
        expect(await limiter.charge(reset, 1)).toMatchObject({ admitted: true });
      });
    });

    describe('plan change', () => {
      test('up: what was counted stays counted, the rest is admitted at once', async () => {
        const meter = freshMeter(3, 1000);
        await Promise.all(times(5, () => limiter.charge(meter, 1)));
        const upgraded = meterOf(meter.id, 10, 1000);
        expect(admittedCount(await Promise.all(times(20, () => limiter.charge(upgraded, 1))))).toBe(7);
      });

      test('down: nothing more is admitted while more was used than the new limit', async () => {
        const meter = freshMeter(10, 1000);
        await limiter.charge(meter, 8);
        const downgraded = meterOf(meter.id, 3, 1000);
        const refused = await limiter.charge(downgraded, 1);
        expect(refused).toMatchObject({ admitted: false, refusedBy: ['minute'], retryAfterMs: 60_000 });
        expect(refused.windows[0]).toMatchObject({ limit: 3, used: 8, remaining: 0 });
        expect(await limiter.charge(meter, 2)).toMatchObject({ admitted: true });
      });
    });

    describe('what is foreseen', () => {
      test('is the decision that a charge would get, and counts nothing', async () => {
        const meter = freshMeter(5, 1000);
        expect(await limiter.foresee(meter, 5)).toBeUndefined();
        await limiter.charge(meter, 3);
        expect(await limiter.foresee(meter, 2)).toBeUndefined();
        expect(await limiter.foresee(meter, 3)).toMatchObject({
          admitted: false,
          refusedBy: ['minute'],
          retryAfterMs: 60_000,
        });
        expect(await usedIn(limiter, meter)).toEqual({ minute: 3, day: 3 });
        expect(await limiter.charge(meter, 2)).toMatchObject({ admitted: true });
      });

      test('is remembered, so that who asks again and again does not reach the store', async () => {
        const meter = freshMeter(2, 1000);
        await limiter.charge(meter, 2);
        const { counted, total } = countingCalls(store);
        limiter = limiterOn(counted);
        expect(await limiter.foresee(meter, 1)).toBeDefined();
        const before = total();
        for (let i = 0; i < 100; i++) expect(await limiter.foresee(meter, 1)).toBeDefined();
        expect(limiter.remembered(meter, 1)).toBeDefined();
        expect(total()).toBe(before);
      });

      test('ends with the window', async () => {
        const meter = freshMeter(1, 1000);
        await limiter.charge(meter, 1);
        expect(await limiter.foresee(meter, 1)).toBeDefined();
        moveDateBy(60_000);
        expect(await limiter.foresee(meter, 1)).toBeUndefined();
      });
    });

    describe('remembered refusals', () => {
      test('ask the store nothing', async () => {
        const { counted, total } = countingCalls(store);
        limiter = limiterOn(counted);
        const meter = freshMeter(3, 1000);
        await Promise.all(times(4, () => limiter.charge(meter, 1)));
        const before = total();
        expect(limiter.remembered(meter, 1)).toMatchObject({
          admitted: false,
          refusedBy: ['minute'],
          retryAfterMs: 60_000,
        });
        expect(admittedCount(await Promise.all(times(1000, () => limiter.charge(meter, 1))))).toBe(0);
        expect(total()).toBe(before);
      });

      test('are none while something is left: another process may use it', async () => {
        const meter = freshMeter(3, 1000);
        await limiter.charge(meter, 2);
        const other = limiterOn(underTest.open());
        expect(await other.charge(meter, 2)).toMatchObject({ admitted: false });
        expect(other.remembered(meter, 2)).toBeUndefined();
        await limiter.charge(meter, 1);
        const { windows } = await other.charge(meter, 2);
        expect(windows.map(({ remaining }) => remaining)).toEqual([0, 997]);
        expect(other.remembered(meter, 2)).toBeDefined();
      });

      test('end with the window', async () => {
        const meter = freshMeter(1, 1000);
        // Often enough for the memory to be trusted to the end of the window.
        for (let second = 0; second < 60; second++) {
          await limiter.charge(meter, 1);
          moveDateBy(1000);
        }
        expect(limiter.remembered(meter, 1)).toBeUndefined();
        expect(await limiter.charge(meter, 1)).toMatchObject({ admitted: true });
      });

      test('name the window that still rejects, not the one that has ended', async () => {
        const meter = freshMeter(2, 2);
        await limiter.charge(meter, 2);
        for (let second = 0; second < 60; second++) {
          await limiter.charge(meter, 1);
          moveDateBy(1000);
        }
        const refusal = await limiter.charge(meter, 1);
        expect(refusal).toMatchObject({ admitted: false, refusedBy: ['day'] });
        expect(refusal.windows[0]).toMatchObject({ name: 'minute', used: 0, remaining: 2 });
      });

      test('are checked against the store every ten seconds while requests go on', async () => {
        const { counted, total } = countingCalls(store);
        limiter = limiterOn(counted);
        const meter = freshMeter(1, 1);
        await limiter.charge(meter, 1);
        const before = total();
        for (let second = 0; second < 50; second++) {
          await limiter.charge(meter, 1);
          moveDateBy(1000);
        }
        expect(total() - before).toBeLessThanOrEqual(5);
      });

      test('hold for the key, whichever look-up of it asks', async () => {
        const meter = freshMeter(1, 1000);
        await limiter.charge(meter, 1);
        await limiter.charge(meter, 1);
        expect(limiter.remembered(meterOf(meter.id, 1, 1000), 1)).toBeDefined();
      });

      test('are forgotten when a key is reset or its plan changes', async () => {
        const meter = freshMeter(1, 1000);
        await limiter.charge(meter, 1);
        await limiter.charge(meter, 1);
        expect(limiter.remembered(meter, 1)).toBeDefined();
        expect(limiter.remembered(meterOf(meter.id, 1, 1000, 1), 1)).toBeUndefined();
        expect(limiter.remembered(meterOf(meter.id, 2, 1000), 1)).toBeUndefined();
      });
    });

    describe('peek', () => {
      test('consumes nothing and begins nothing', async () => {
        const meter = freshMeter(3, 1000);
        for (let i = 0; i < 10; i++)
          expect((await limiter.peek(meter)).map(({ used, resetAtMs }) => [used, resetAtMs])).toEqual([
            [0, undefined],
            [0, undefined],
          ]);
        expect(admittedCount(await Promise.all(times(5, () => limiter.charge(meter, 1))))).toBe(3);
      });

      test('of many meters answers in their order', async () => {
        const asked = [1, 2, 3].map(() => freshMeter(10, 1000));
        await Promise.all(asked.map((meter, i) => limiter.charge(meter, i + 1)));
        const found = await limiter.peekMany([...asked, freshMeter(10, 1000)].reverse());
        expect(found.map((windows) => windows[0]?.used)).toEqual([0, 3, 2, 1]);
        expect(await limiter.peekMany([])).toEqual([]);
      });
    });

    describe('several processes', () => {
      test('admit exactly the limit of unit costs, in total', async () => {
        const meter = freshMeter(60, 1000);
        const processes = times(3, () => limiterOn(underTest.open()));
        const decisions = await Promise.all(
          times(100, () => processes.map((each) => each.charge(meter, 1))).flat(),
        );
        expect(admittedCount(decisions)).toBe(60);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 60, day: 60 });
      });

      test('admit exactly the limit when both windows are nearly used up', async () => {
        for (let round = 0; round < 10; round++) {
          const meter = freshMeter(10, 10);
          const processes = times(2, () => limiterOn(underTest.open()));
          await limiter.charge(meter, 5);
          const decisions = await Promise.all(
            processes.flatMap((each) => times(5, () => each.charge(meter, 1))),
          );
          expect(admittedCount(decisions)).toBe(5);
        }
      });

      test('never admit more than the limit of mixed costs, in total', async () => {
        const meter = freshMeter(50, 1000);
        const processes = times(3, () => limiterOn(underTest.open()));
        const costs = [7, 1, 10, 3, 5, 2, 9, 4, 6, 8];
        const charges = processes.flatMap((each) => costs.map((cost) => ({ each, cost })));
        const decisions = await Promise.all(charges.map(({ each, cost }) => each.charge(meter, cost)));
        const sum = charges.reduce((total, { cost }, i) => total + (decisions[i]?.admitted ? cost : 0), 0);
        expect(sum).toBeLessThanOrEqual(50);
        expect(await usedIn(limiter, meter)).toEqual({ minute: sum, day: sum });
      });

      test('see each other: what one admitted, the other has less', async () => {
        const meter = freshMeter(10, 1000);
        await limiterOn(underTest.open()).charge(meter, 6);
        expect((await limiter.charge(meter, 1)).windows[0]).toMatchObject({ used: 7, remaining: 3 });
      });
    });

    describe('a store that does not answer in time', () => {
      test('fails the requests, and refunds what it counted for them once it answers', async () => {
        const meter = freshMeter(10, 1000);
        const { late, answer } = answeringLate(store);
        limiter = limiterOn(late, 20);
        const outcomes = await Promise.allSettled(times(3, () => limiter.charge(meter, 2)));
        expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
        answer();
        await until('the units to be taken back', async () =>
          (await limiterOn(store).peek(meter)).every(({ used }) => used === 0),
        );
        // On a busy machine, 20 ms can be too short for any store.
        await until('a charge in time', () =>
          limiter.charge(meter, 10).then(
            ({ admitted }) => admitted,
            () => false,
          ),
        );
      });
    });

    describe('a store that fails', () => {
      test('answers everybody who waited', async () => {
        const meter = freshMeter(10, 1000);
        const broken = limiterOn({
          ...store,
          decide: () => Promise.reject(new QuotaStoreError(new Error('cut'))),
        });
        const outcomes = await Promise.allSettled(times(30, () => broken.charge(meter, 1)));
        for (const { status } of outcomes) expect(status).toBe('rejected');
      });

      test('charges whose answers are lost admit nothing too many', async () => {
        const meter = freshMeter(10, 1000);
        const lossy = limiterOn({
          ...store,
          async decide(...given) {
            await store.decide(...given);
            throw new QuotaStoreError(new Error('the answer was lost'));
          },
        });
        await Promise.allSettled(times(3, () => lossy.charge(meter, 3)));
        const decisions = await Promise.all(times(30, () => limiter.charge(meter, 1)));
        expect(admittedCount(decisions)).toBeLessThanOrEqual(10);
      });
    });

    describe('units that were admitted without the store', () => {
      const minuteLeft = [60_000, MIDNIGHT - NOON];

      test('are added to the windows that run', async () => {
        const meter = freshMeter(10, 1000);
        await limiter.charge(meter, 4);
        moveDateBy(20_000);
        await limiter.add(meter, [3, 3], [40_000, MIDNIGHT - Date.now()]);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 7, day: 7 });
        expect((await limiter.peek(meter))[0]?.resetAtMs).toBe(NOON + 60_000);
        expect(await limiterOn(store).charge(meter, 4)).toMatchObject({ admitted: false });
      });

      test('start a window that ends as theirs did', async () => {
        const meter = freshMeter(10, 1000);
        await limiter.add(meter, [3, 3], [30_000, MIDNIGHT - NOON]);
        expect((await limiter.peek(meter)).map(({ used, resetAtMs }) => [used, resetAtMs])).toEqual([
          [3, NOON + 30_000],
          [3, MIDNIGHT],
        ]);
      });

      test('do not count once their window has ended', async () => {
        const meter = freshMeter(10, 1000);
        await limiter.charge(meter, 4);
        await limiter.add(meter, [3, 3], [-1, MIDNIGHT - NOON]);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 4, day: 7 });
      });

      test('begin no short window after theirs, which has just ended here', async () => {
        const meter = freshMeter(60, 1000);
        await limiter.charge(meter, 50);
        moveDateBy(60_100);
        await limiter.add(meter, [1, 1], [100, MIDNIGHT - Date.now()]);
        // A store that forgets its windows may prolong the one that has ended.
        const { minute, day } = await usedIn(limiter, meter);
        expect([0, 51]).toContain(minute);
        expect(day).toBe(51);
      });

      test('of yesterday begin no short day', async () => {
        const meter = freshMeter(60, 60);
        moveDateTo(MIDNIGHT - 1000);
        await limiter.charge(meter, 50);
        moveDateTo(MIDNIGHT + 100);
        await limiter.add(meter, [1, 1], [59_000, 100]);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 51, day: 0 });
      });

      test('prolong the minute that runs only if theirs follows another one', async () => {
        const [one, other] = [freshMeter(60, 1000), freshMeter(60, 1000)];
        await Promise.all([limiter.charge(one, 1), limiter.charge(other, 1)]);
        moveDateBy(55_000);
        const left = [58_000, MIDNIGHT - Date.now()];
        await limiter.add(one, [30, 30], left);
        await limiter.add(other, [30, 30], left, true);
        const minutes = await Promise.all([one, other].map(async (meter) => (await limiter.peek(meter))[0]));
        expect(minutes.map((minute) => [minute?.used, minute?.resetAtMs])).toEqual([
          [31, NOON + 60_000],
          [31, NOON + 55_000 + 58_000],
        ]);
      });

      test('count in the windows of their epoch, also if those before a reset end at the same time', async () => {
        const before = freshMeter(60, 60);
        await limiter.charge(before, 30);
        const meter = meterOf(before.id, 60, 60, 1);
        await limiter.add(meter, [40, 40], minuteLeft);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 40, day: 40 });
      });

      test('may pass the limit', async () => {
        const meter = freshMeter(10, 1000);
        await limiter.charge(meter, 8);
        await limiter.add(meter, [5, 5], minuteLeft);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 13, day: 13 });
        expect((await limiter.peek(meter))[0]?.remaining).toBe(0);
      });

      test('are only refunded to the window that they were counted in', async () => {
        const meter = freshMeter(10, 1000);
        await limiter.charge(meter, 4);
        await limiter.add(meter, [-1, -1], [20_000, MIDNIGHT - NOON]);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 4, day: 3 });
        await limiter.add(meter, [-1, -9], minuteLeft);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 3, day: 0 });
        moveDateBy(60_000);
        await limiter.add(meter, [-1, 0], [1000, 0]);
        expect((await limiter.peek(meter))[0]).toMatchObject({ used: 0, resetAtMs: undefined });
      });
    });
  });
}
