import fc from 'fast-check';
import type { QuotaStore } from '../../src/features/limiter/quota-store.js';
import { QuotaStoreError, type Decision } from '../../src/features/limiter/limiter.js';
import { freezeDate, MIDNIGHT, moveDateTo, NOON, releaseDate } from '../support/fake-date.js';
import { freshMeter, limiterOn, meterOf, type StoreUnderTest } from './limiter.js';

const MINUTE_LIMIT = 30;
const DAY_LIMIT = 90;

type Step =
  | { do: 'charge'; process: number; costs: number[] }
  | { do: 'reset' }
  | { do: 'plan'; minuteLimit: number }
  | { do: 'time'; from: 'minute' | 'midnight'; offsetMs: number }
  | { do: 'wait' }
  | { do: 'lose'; answers: number };

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
const lose = fc.record({ do: fc.constant('lose' as const), answers: fc.integer({ min: 1, max: 3 }) });
const faultless = [
  { arbitrary: charge, weight: 8 },
  { arbitrary: time, weight: 3 },
  { arbitrary: wait, weight: 2 },
  { arbitrary: reset, weight: 1 },
  { arbitrary: plan, weight: 1 },
];
const size = { minLength: 1, maxLength: 25 };
const steps = fc.array<Step>(fc.oneof(...faultless), size);
const stepsWithFaults = fc.array<Step>(fc.oneof(...faultless, { arbitrary: lose, weight: 2 }), size);

/** A store whose every call waits for its turn before and after it; some answers are lost once the store has decided. */
function scheduled(store: QuotaStore, scheduler: fc.Scheduler, lost: { answers: number }): QuotaStore {
  const turn = () => scheduler.schedule(Promise.resolve());
  return {
    ...store,
    async decide(...given) {
      await turn();
      const outcome = await store.decide(...given);
      await turn();
      if (lost.answers === 0) return outcome;
      lost.answers -= 1;
      throw new QuotaStoreError(new Error('the answer was lost'));
    },
  };
}

/** Moves to a time near the end of the minute that began last, or near midnight; never back. */
function timeOf(step: Extract<Step, { do: 'time' }>, minuteEndMs: number): number {
  const end = step.from === 'minute' ? minuteEndMs : MIDNIGHT;
  return Math.max(Date.now(), end + step.offsetMs);
}

export function describeLimiterProperties(
  name: string,
  runs: number,
  make: () => Promise<StoreUnderTest>,
): void {
  describe(`limiter over ${name}, whatever happens in whatever order`, () => {
    let underTest: StoreUnderTest;
    beforeAll(async () => {
      underTest = await make();
    });
    afterAll(() => underTest.close());
    beforeEach(() => freezeDate(NOON));
    afterEach(releaseDate);

    test('several processes never admit more than the limit in a window, nor count below zero', () =>
      fc.assert(
        fc.asyncProperty(stepsWithFaults, fc.scheduler(), async (plannedSteps, scheduler) => {
          moveDateTo(NOON);
          const lost = { answers: 0 };
          const store = underTest.open();
          const processes = [0, 1, 2].map(() => limiterOn(scheduled(underTest.open(), scheduler, lost)));
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

          for (const step of plannedSteps) {
            if (step.do === 'charge')
              for (const cost of step.costs) {
                const chargedIn = epoch;
                const decision = processes[step.process]?.charge(meter, cost);
                if (decision)
                  running.push(
                    decision.then(
                      (made) => note(cost, chargedIn, made),
                      (error: unknown) => expect(error).toBeInstanceOf(QuotaStoreError),
                    ),
                  );
              }
            else if (step.do === 'reset') {
              // A charge that is decided after a reset counts in the new window, whatever its process has heard.
              await settle();
              meter = meterOf(meter.id, limitOf(meter), DAY_LIMIT, ++epoch);
            } else if (step.do === 'plan') meter = meterOf(meter.id, step.minuteLimit, DAY_LIMIT, epoch);
            else if (step.do === 'lose') lost.answers = step.answers;
            else if (step.do === 'time') {
              // What is under way is decided before time moves: a window is known by its end.
              await settle();
              moveDateTo(timeOf(step, minuteEndMs));
            } else await settle();
            const [counts = []] = await store.read([meter]);
            expect(counts.filter(({ consumedPoints }) => consumedPoints < 0)).toEqual([]);
          }
          await settle();

          expect([...admitted].filter(([, { units, limit }]) => units > limit)).toEqual([]);
        }),
        { numRuns: runs },
      ));

    test('alone, it admits exactly what a simple count says', () =>
      fc.assert(
        fc.asyncProperty(steps, async (plannedSteps) => {
          moveDateTo(NOON);
          const limiter = limiterOn(underTest.open());
          let meter = freshMeter(MINUTE_LIMIT, DAY_LIMIT);
          let epoch = 0;
          let minute = { used: 0, endsAtMs: 0 };
          let day = { used: 0, endsAtMs: 0 };
          const expected = (cost: number): boolean => {
            const nowMs = Date.now();
            if (minute.endsAtMs <= nowMs) minute = { used: 0, endsAtMs: 0 };
            if (day.endsAtMs <= nowMs) day = { used: 0, endsAtMs: nowMs < MIDNIGHT ? MIDNIGHT : Infinity };
            if (minute.used + cost > limitOf(meter) || day.used + cost > DAY_LIMIT) return false;
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
        }),
        { numRuns: runs },
      ));
  });
}

function limitOf(meter: { windows: readonly { limit: number }[] }): number {
  return meter.windows[0]?.limit ?? 0;
}
