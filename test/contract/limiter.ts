import { createCountingLimiter } from '../../src/features/limiter/counting-limiter.js';
import type { Counters } from '../../src/features/limiter/counters.js';
import { QuotaStoreError, type Decision, type Limiter } from '../../src/features/limiter/limiter.js';
import { counterKey, type Meter, type WindowName } from '../../src/features/plans/window.js';
import { freezeDate, MIDNIGHT, moveDateBy, moveDateTo, NOON, releaseDate } from '../support/fake-date.js';
import { until } from '../support/until.js';

export interface CountersUnderTest {
  counters: Counters;
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

/** Counters that count how often the store is asked. */
function countingCalls(counters: Counters) {
  const calls = { add: 0, refund: 0, getMany: 0 };
  const counted: Counters = {
    add: (...given) => ((calls.add += 1), counters.add(...given)),
    refund: (...given) => ((calls.refund += 1), counters.refund(...given)),
    getMany: (...given) => ((calls.getMany += 1), counters.getMany(...given)),
  };
  return { counted, calls, total: () => calls.add + calls.refund + calls.getMany };
}

/** What every limiter over every store of counters keeps to: see src/features/limiter/limiter.ts. */
export function describeLimiter(name: string, make: () => Promise<CountersUnderTest>): void {
  describe(`limiter over ${name}`, () => {
    let underTest: CountersUnderTest;
    let counters: Counters;
    let limiter: Limiter;

    beforeAll(async () => {
      underTest = await make();
      counters = underTest.counters;
    });
    afterAll(() => underTest.close());
    beforeEach(() => {
      freezeDate(NOON);
      limiter = createCountingLimiter(counters, clock);
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

      test('a request that is admitted beside a rejection gets what is left without it', async () => {
        const meter = freshMeter(10, 1000);
        const decisions = await Promise.all([4, 7, 3].map((cost) => limiter.charge(meter, cost)));
        expect(admissions(decisions)).toEqual([true, false, true]);
        expect(decisions[2]?.windows.map(({ remaining }) => remaining)).toEqual([3, 993]);
      });

      test('an admission takes one call of the store for each window', async () => {
        const { counted, calls } = countingCalls(counters);
        await createCountingLimiter(counted, clock).charge(freshMeter(10, 1000), 10);
        expect(calls).toEqual({ add: 2, refund: 0, getMany: 0 });
      });

      test('no more is sent to the store at once than a window could hold', async () => {
        const sent: number[] = [];
        limiter = createCountingLimiter(
          { ...counters, add: (...given) => (sent.push(given[2]), counters.add(...given)) },
          clock,
        );
        const meter = freshMeter(60, 1000);
        await Promise.all(times(200, () => limiter.charge(meter, 1)));
        // Each sum once for each window. What the second leaves over is refused from memory.
        expect(sent).toEqual([1, 1, 60, 60]);
      });

      test('remaining never overstates: requests that are charged together get what is left after all of them', async () => {
        const meter = freshMeter(60, 1000);
        const decisions = await Promise.all(times(50, () => limiter.charge(meter, 1)));
        // The first goes to the store alone; those that come meanwhile follow as one sum.
        const told = decisions.map(({ windows }) => windows.map(({ remaining }) => remaining));
        expect(told).toEqual([[59, 999], ...times(49, () => [10, 950])]);
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

      test('an ended window counts as not started', async () => {
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

      test('a give-back that comes after the end of its window finds nothing to take from', async () => {
        const meter = freshMeter(10, 1000);
        const [minute] = meter.windows;
        if (minute === undefined) throw new Error('a meter has a minute');
        const key = counterKey(meter.id, minute, NOON);
        const { expiresAtMs } = await counters.add(key, 10, 8, 60_000);
        moveDateBy(60_000);
        await counters.refund(key, 8, expiresAtMs);
        expect(await counters.getMany([key])).toEqual([undefined]);
        await counters.add(key, 10, 5, 60_000);
        await counters.refund(key, 5, expiresAtMs);
        expect(await counters.getMany([key])).toMatchObject([{ units: 5 }]);
      });
    });

    describe('reset', () => {
      test('a raised epoch begins a fresh counter', async () => {
        const meter = freshMeter(3, 1000);
        await Promise.all(times(5, () => limiter.charge(meter, 1)));
        const reset = meterOf(meter.id, 3, 1000, 1);
        expect(admittedCount(await Promise.all(times(5, () => limiter.charge(reset, 1))))).toBe(3);
      });

      test('what was refused before a reset is given back to the counter of before', async () => {
        const meter = freshMeter(3, 1000);
        const reset = meterOf(meter.id, 3, 1000, 1);
        const held = Promise.all(times(9, () => limiter.charge(meter, 3)));
        const after = Promise.all(times(9, () => limiter.charge(reset, 1)));
        expect(admittedCount(await held)).toBe(1);
        expect(admittedCount(await after)).toBe(3);
        expect(await usedIn(limiter, reset)).toEqual({ minute: 3, day: 3 });
        expect(await usedIn(limiter, meter)).toEqual({ minute: 3, day: 3 });
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
      test('matches the result of a charge, and counts nothing', async () => {
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
        const { counted, total } = countingCalls(counters);
        limiter = createCountingLimiter(counted, clock);
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
        const { counted, total } = countingCalls(counters);
        limiter = createCountingLimiter(counted, clock);
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

      test('are none for a cheaper cost that would pass', async () => {
        const meter = freshMeter(3, 1000);
        await limiter.charge(meter, 2);
        await limiter.charge(meter, 2);
        expect(limiter.remembered(meter, 2)).toBeDefined();
        expect(limiter.remembered(meter, 1)).toBeUndefined();
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

      test('tell the window that still refuses, not the one that has ended', async () => {
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

      test('are checked against the store ever more rarely while hammering goes on', async () => {
        const { counted, total } = countingCalls(counters);
        limiter = createCountingLimiter(counted, clock);
        const meter = freshMeter(1, 1);
        await limiter.charge(meter, 1);
        const asked = new Set<number>();
        for (let second = 0; second < 1000; second++) {
          const before = total();
          await limiter.charge(meter, 1);
          if (total() > before) asked.add(second);
          moveDateBy(1000);
        }
        expect(asked.size).toBeLessThanOrEqual(11);
      });

      describe('while other processes give back', () => {
        const meter = () => freshMeter(3, 1000);
        /** Units of another process, which refunds them on request. */
        async function spendElsewhere({ id, windows }: Meter, units: number): Promise<() => Promise<void>> {
          const [minute] = windows;
          if (minute === undefined) throw new Error('a meter has a minute');
          const key = counterKey(id, minute, NOON);
          const { expiresAtMs } = await counters.add(key, minute.limit, units, 60_000);
          return () => counters.refund(key, units, expiresAtMs);
        }

        test('are believed for a second', async () => {
          const spent = meter();
          const refund = await spendElsewhere(spent, 3);
          expect(await limiter.charge(spent, 1)).toMatchObject({ admitted: false });
          await refund();
          moveDateBy(999);
          expect(await limiter.charge(spent, 1)).toMatchObject({ admitted: false });
          moveDateBy(1);
          expect(limiter.remembered(spent, 1)).toBeUndefined();
          expect(await limiter.charge(spent, 1)).toMatchObject({ admitted: true });
        });

        test('are believed for a second again after an admission', async () => {
          const spent = meter();
          const refund = await spendElsewhere(spent, 3);
          await limiter.charge(spent, 1);
          moveDateBy(1000);
          await limiter.charge(spent, 1);
          moveDateBy(1999);
          expect(limiter.remembered(spent, 1)).toBeDefined();
          moveDateBy(1);
          await refund();
          expect(await limiter.charge(spent, 3)).toMatchObject({ admitted: true });
          expect(await limiter.charge(spent, 1)).toMatchObject({ admitted: false });
          moveDateBy(1000);
          expect(limiter.remembered(spent, 1)).toBeUndefined();
        });

        test('are not believed once the clock was set back', async () => {
          const spent = meter();
          await spendElsewhere(spent, 3);
          await limiter.charge(spent, 1);
          moveDateBy(-1);
          expect(limiter.remembered(spent, 1)).toBeUndefined();
        });

        test('are not made of a sum that is on its way back', async () => {
          const spent = meter();
          const refund = await spendElsewhere(spent, 4);
          let looks = 0;
          limiter = createCountingLimiter(
            {
              ...counters,
              async getMany(keys) {
                const counts = await counters.getMany(keys);
                if (++looks === 2) await refund();
                return counts;
              },
            },
            clock,
          );
          expect(await limiter.charge(spent, 3)).toMatchObject({ admitted: true });
        });

        test('wait for a sum that stays no longer than three looks', async () => {
          const spent = meter();
          await spendElsewhere(spent, 4);
          const { counted, calls } = countingCalls(counters);
          limiter = createCountingLimiter(counted, clock);
          expect(await limiter.charge(spent, 1)).toMatchObject({ admitted: false });
          expect(calls).toEqual({ add: 2, refund: 2, getMany: 3 });
        });

        test('take one look when nothing is on its way back', async () => {
          const spent = meter();
          await spendElsewhere(spent, 3);
          const { counted, calls } = countingCalls(counters);
          limiter = createCountingLimiter(counted, clock);
          expect(await limiter.charge(spent, 1)).toMatchObject({ admitted: false });
          expect(calls).toEqual({ add: 2, refund: 2, getMany: 1 });
        });

        test('are made in the end, though another sum comes in between each time', async () => {
          const { counted, calls } = countingCalls({
            ...counters,
            async add(...given) {
              const count = await counters.add(...given);
              return { ...count, units: count.units + 1000 };
            },
          });
          limiter = createCountingLimiter(counted, clock);
          expect(await limiter.charge(meter(), 1)).toMatchObject({
            admitted: false,
            refusedBy: ['minute', 'day'],
          });
          // Two windows, asked once and ten times again.
          expect(calls.add).toBe(2 * 11);
        });
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
        const processes = times(3, () => createCountingLimiter(counters, clock));
        const decisions = await Promise.all(
          times(100, () => processes.map((each) => each.charge(meter, 1))).flat(),
        );
        expect(admittedCount(decisions)).toBe(60);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 60, day: 60 });
      });

      test('admit exactly the limit when both windows are nearly used up', async () => {
        for (let round = 0; round < 10; round++) {
          const meter = freshMeter(10, 10);
          const processes = times(2, () => createCountingLimiter(counters, clock));
          await limiter.charge(meter, 5);
          const decisions = await Promise.all(
            processes.flatMap((each) => times(5, () => each.charge(meter, 1))),
          );
          expect(admittedCount(decisions)).toBe(5);
        }
      });

      test('that added in opposite order to the two windows do not both refuse what is left', async () => {
        const meter = freshMeter(10, 10);
        await limiter.charge(meter, 5);
        const added = { minute: signal(), day: signal() };
        /** Adds to one window before the other process may, and to the other window after it. */
        const inOrder = (first: WindowName): Counters => ({
          ...counters,
          async add(key, ...rest) {
            const window = key.includes(':minute:') ? 'minute' : 'day';
            if (window !== first) await added[window].given;
            const count = await counters.add(key, ...rest);
            if (window === first) added[window].give();
            return count;
          },
        });
        const decisions = await Promise.all(
          (['minute', 'day'] as const).map((first) =>
            createCountingLimiter(inOrder(first), clock).charge(meter, 5),
          ),
        );
        expect(admittedCount(decisions)).toBe(1);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 10, day: 10 });
      });

      test('never admit more than the limit of mixed costs, in total', async () => {
        const meter = freshMeter(50, 1000);
        const processes = times(3, () => createCountingLimiter(counters, clock));
        const costs = [7, 1, 10, 3, 5, 2, 9, 4, 6, 8];
        const charges = processes.flatMap((each) => costs.map((cost) => ({ each, cost })));
        const decisions = await Promise.all(charges.map(({ each, cost }) => each.charge(meter, cost)));
        const sum = charges.reduce((total, { cost }, i) => total + (decisions[i]?.admitted ? cost : 0), 0);
        expect(sum).toBeLessThanOrEqual(50);
        expect(await usedIn(limiter, meter)).toEqual({ minute: sum, day: sum });
      });

      test('see each other: what one admitted, the other has less', async () => {
        const meter = freshMeter(10, 1000);
        const other = createCountingLimiter(counters, clock);
        await other.charge(meter, 6);
        expect((await limiter.charge(meter, 1)).windows[0]).toMatchObject({ used: 7, remaining: 3 });
      });
    });

    describe('a charge that is given up', () => {
      let meter: Meter;
      let givenUp: AbortController;
      let answer: () => void;
      beforeEach(() => {
        meter = freshMeter(10, 1000);
        givenUp = new AbortController();
        const answers = signal();
        answer = answers.give;
        limiter = createCountingLimiter(
          { ...counters, add: (...given) => answers.given.then(() => counters.add(...given)) },
          clock,
        );
      });

      test('while it waits costs nothing', async () => {
        const first = limiter.charge(meter, 1);
        const waiting = [limiter.charge(meter, 2, givenUp.signal), limiter.charge(meter, 4)];
        const settled = Promise.allSettled(waiting);
        givenUp.abort();
        answer();
        await first;
        expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
        expect(await usedIn(limiter, meter)).toEqual({ minute: 5, day: 5 });
      });

      test('under way is given back', async () => {
        const charge = limiter.charge(meter, 2, givenUp.signal);
        givenUp.abort();
        answer();
        await expect(charge).rejects.toBeInstanceOf(QuotaStoreError);
        await until('the give-back', async () => (await limiter.peek(meter)).every(({ used }) => used === 0));
      });

      test('is not sent at all when nobody listens any more', async () => {
        const { counted, total } = countingCalls(counters);
        givenUp.abort();
        const charge = createCountingLimiter(counted, clock).charge(meter, 2, givenUp.signal);
        await expect(charge).rejects.toBeInstanceOf(QuotaStoreError);
        expect(total()).toBe(0);
      });
    });

    describe('a store that fails in one window', () => {
      const failing = (window: WindowName): Counters => ({
        ...counters,
        add: (key, ...rest) =>
          key.includes(`:${window}:`)
            ? Promise.reject(new QuotaStoreError(new Error('cut')))
            : counters.add(key, ...rest),
      });

      test.each(['minute', 'day'] as const)(
        '%s: throws QuotaStoreError and charges neither window',
        async (window) => {
          const meter = freshMeter(10, 1000);
          const broken = createCountingLimiter(failing(window), clock);
          await expect(broken.charge(meter, 4)).rejects.toBeInstanceOf(QuotaStoreError);
          expect(await usedIn(limiter, meter)).toEqual({ minute: 0, day: 0 });
        },
      );

      test('answers everybody who waited', async () => {
        const meter = freshMeter(10, 1000);
        const broken = createCountingLimiter(failing('day'), clock);
        const outcomes = await Promise.allSettled(times(30, () => broken.charge(meter, 1)));
        expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
      });

      test('a give-back whose outcome is unknown admits nothing too many', async () => {
        const meter = freshMeter(10, 1000);
        const lossy = createCountingLimiter(
          {
            ...counters,
            async refund(...given) {
              await counters.refund(...given);
              throw new QuotaStoreError(new Error('the answer was lost'));
            },
          },
          clock,
        );
        const decisions = await Promise.all(times(30, () => lossy.charge(meter, 3)));
        moveDateBy(1_000);
        decisions.push(...(await Promise.all(times(30, () => lossy.charge(meter, 3)))));
        expect(admittedCount(decisions)).toBe(3);
      });
    });
  });
}
