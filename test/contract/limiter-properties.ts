import fc from 'fast-check';
import { createCountingLimiter } from '../../src/features/limiter/counting-limiter.js';
import type { Counters } from '../../src/features/limiter/counters.js';
import { createLeasedCounters, type LeasePolicy } from '../../src/features/limiter/leased-counters.js';
import type { Decision } from '../../src/features/limiter/limiter.js';
import { freezeDate, MIDNIGHT, moveDateTo, NOON, releaseDate } from '../support/fake-date.js';
import { freshMeter, meterOf, type CountersUnderTest } from './limiter.js';

const clock = () => Date.now();
const MINUTE_LIMIT = 30;
const DAY_LIMIT = 90;

type Step =
  | { do: 'charge'; process: number; costs: number[] }
  | { do: 'reset' }
  | { do: 'plan'; minuteLimit: number }
  | { do: 'time'; from: 'minute' | 'midnight'; offsetMs: number }
  | { do: 'wait' }
  | { do: 'idle'; process: number };

const charge = fc.record({
  do: fc.constant('charge' as const),
  process: fc.nat({ max: 2 }),
  costs: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }),
});
const time = fc.record({
  do: fc.constant('time' as const),
  from: fc.constantFrom('minute' as const, 'minute' as const, 'midnight' as const),
  offsetMs: fc.constantFrom(-2500, -1999, -1, 0, 1, 700),
});
const reset = fc.constant({ do: 'reset' as const });
const plan = fc.record({
  do: fc.constant('plan' as const),
  minuteLimit: fc.constantFrom(20, MINUTE_LIMIT, 45),
});
const wait = fc.constant({ do: 'wait' as const });
const idle = fc.record({ do: fc.constant('idle' as const), process: fc.nat({ max: 2 }) });
const steps = fc.array<Step>(
  fc.oneof(
    { arbitrary: charge, weight: 8 },
    { arbitrary: time, weight: 3 },
    { arbitrary: wait, weight: 2 },
    { arbitrary: idle, weight: 2 },
    { arbitrary: reset, weight: 1 },
    { arbitrary: plan, weight: 1 },
  ),
  { minLength: 1, maxLength: 25 },
);

/** Leases as large and as soon as can be, so that few steps meet many of them. */
const EAGER: LeasePolicy = { minLimit: 1, partOfRemaining: 0.8, minUnits: 1, maxUnits: 1000, measuredMs: 0 };

/** Counters whose every call waits for its turn before and after it; each count seen is remembered. */
function scheduled(counters: Counters, scheduler: fc.Scheduler) {
  const lowest = { units: 0 };
  const turn = () => scheduler.schedule(Promise.resolve());
  const during = async <T>(call: () => Promise<T>): Promise<T> => {
    await turn();
    const answer = await call();
    await turn();
    return answer;
  };
  const look = async (key: string) => {
    const [count] = await counters.getMany([key]);
    lowest.units = Math.min(lowest.units, count?.units ?? 0);
  };
  const watched: Counters = {
    add: (...given) =>
      during(async () => {
        const count = await counters.add(...given);
        await look(given[0]);
        return count;
      }),
    refund: (...given) =>
      during(async () => {
        await counters.refund(...given);
        await look(given[0]);
      }),
    getMany: (keys) => during(() => counters.getMany(keys)),
  };
  return { watched, lowest };
}

/** Moves to a time near the end of the minute that began last, or near midnight; never back. */
function timeOf(step: Extract<Step, { do: 'time' }>, minuteEndMs: number): number {
  const end = step.from === 'minute' ? minuteEndMs : MIDNIGHT;
  return Math.max(Date.now(), end + step.offsetMs);
}

export function describeLimiterProperties(
  name: string,
  runs: number,
  make: () => Promise<CountersUnderTest>,
): void {
  describe(`limiter over ${name}, whatever happens in whatever order`, () => {
    let underTest: CountersUnderTest;
    beforeAll(async () => {
      underTest = await make();
    });
    afterAll(() => underTest.close());
    beforeEach(() => freezeDate(NOON));
    afterEach(releaseDate);

    test('several processes never admit more than the limit in a window, and no count is below zero', () =>
      fc.assert(
        fc.asyncProperty(steps, fc.scheduler(), async (plannedSteps, scheduler) => {
          moveDateTo(NOON);
          const { watched, lowest } = scheduled(underTest.counters, scheduler);
          const leased = [0, 1, 2].map(() => createLeasedCounters(watched, clock, EAGER));
          for (const one of leased) one.start();
          const processes = leased.map((counters) => createCountingLimiter(counters, clock));
          let meter = freshMeter(MINUTE_LIMIT, DAY_LIMIT);
          let epoch = 0;
          let minuteEndMs = NOON + 60_000;
          const running: Promise<void>[] = [];
          /** Units admitted in each window that there was, and the largest limit it had meanwhile. */
          const admitted = new Map<string, { units: number; limit: number }>();

          const note = (cost: number, chargedIn: number, decision: Decision) => {
            if (!decision.admitted) return;
            for (const { name: window, limit, resetAtMs = 0 } of decision.windows) {
              if (window === 'minute') minuteEndMs = Math.max(minuteEndMs, resetAtMs);
              const instance = `${window} ${chargedIn} ${resetAtMs}`;
              const before = admitted.get(instance) ?? { units: 0, limit: 0 };
              admitted.set(instance, {
                units: before.units + cost,
                limit: Math.max(before.limit, limit),
              });
            }
          };
          const settle = async () => {
            await scheduler.waitFor(Promise.all(running.splice(0)));
          };

          for (const step of plannedSteps)
            if (step.do === 'charge')
              for (const cost of step.costs) {
                const chargedIn = epoch;
                const decision = processes[step.process]?.charge(meter, cost);
                if (decision) running.push(decision.then((made) => note(cost, chargedIn, made)));
              }
            else if (step.do === 'reset') meter = meterOf(meter.id, limitOf(meter), DAY_LIMIT, ++epoch);
            else if (step.do === 'plan') meter = meterOf(meter.id, step.minuteLimit, DAY_LIMIT, epoch);
            else if (step.do === 'time') {
              // What is under way when time moves stays under way, some steps on.
              for (let i = 0; i < 3 && scheduler.count() > 0; i++) await scheduler.waitNext(1);
              // Time moves between answers of the store, not between the lines that read one answer.
              await new Promise(setImmediate);
              moveDateTo(timeOf(step, minuteEndMs));
            } else if (step.do === 'idle') running.push(leased[step.process]?.close() ?? Promise.resolve());
            else await settle();
          running.push(...leased.map((counters) => counters.close()));
          await settle();

          expect([...admitted].filter(([, { units, limit }]) => units > limit)).toEqual([]);
          expect(lowest.units).toBe(0);
        }),
        { numRuns: runs },
      ));

    test('alone, it admits exactly what a simple count says', () =>
      fc.assert(
        fc.asyncProperty(steps, async (plannedSteps) => {
          moveDateTo(NOON);
          const leased = createLeasedCounters(underTest.counters, clock, EAGER);
          leased.start();
          const limiter = createCountingLimiter(leased, clock);
          let meter = freshMeter(MINUTE_LIMIT, DAY_LIMIT);
          let epoch = 0;
          let minute = { used: 0, endsAtMs: 0 };
          let day = { used: 0, endsAtMs: 0 };
          const expected = (cost: number): boolean => {
            const nowMs = Date.now();
            if (minute.endsAtMs <= nowMs) minute = { used: 0, endsAtMs: 0 };
            if (day.endsAtMs <= nowMs) day = { used: 0, endsAtMs: nowMs < MIDNIGHT ? MIDNIGHT : Infinity };
            if (minute.used + cost > limitOf(meter) || day.used + cost > DAY_LIMIT) {
              // A refused request begins its minute all the same: the counter is there, at nothing.
              if (minute.endsAtMs === 0) minute.endsAtMs = nowMs + 60_000;
              return false;
            }
            if (minute.endsAtMs === 0) minute.endsAtMs = nowMs + 60_000;
            minute.used += cost;
            day.used += cost;
            return true;
          };

          for (const step of plannedSteps)
            if (step.do === 'charge') {
              const model = step.costs.map(expected);
              const decisions = await Promise.all(step.costs.map((cost) => limiter.charge(meter, cost)));
              expect(decisions.map((decision) => decision.admitted)).toEqual(model);
              const [seenMinute, seenDay] = await limiter.peek(meter);
              expect(seenDay?.used).toBe(day.used);
              expect(seenMinute?.used).toBe(minute.used);
            } else if (step.do === 'reset') {
              meter = meterOf(meter.id, limitOf(meter), DAY_LIMIT, ++epoch);
              minute = { used: 0, endsAtMs: 0 };
              day = { used: 0, endsAtMs: 0 };
            } else if (step.do === 'plan') meter = meterOf(meter.id, step.minuteLimit, DAY_LIMIT, epoch);
            else if (step.do === 'time') moveDateTo(timeOf(step, minute.endsAtMs));
            else if (step.do === 'idle') await leased.close();
          await leased.close();
        }),
        { numRuns: runs },
      ));
  });
}

function limitOf(meter: { windows: readonly { limit: number }[] }): number {
  return meter.windows[0]?.limit ?? 0;
}
