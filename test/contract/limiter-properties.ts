import fc from 'fast-check';
import { createLeasingLimiter, type LeasingLimiter } from '../support/store-limiter.js';
import type { QuotaStore } from '../../src/features/limiter/quota-store.js';
import { QuotaStoreError, type Decision } from '../../src/features/limiter/limiter.js';
import type { Meter } from '../../src/features/plans/window.js';
import { freezeDate, MIDNIGHT, moveDateTo, NOON, releaseDate } from '../support/fake-date.js';
import type { StoreLimiter } from '../support/store-limiter.js';
import { freshMeter, limiterOn, meterOf, type StoreUnderTest } from './limiter.js';

const MINUTE_LIMIT = 30;
const DAY_LIMIT = 90;

type Step =
  | { do: 'charge'; process: number; costs: number[] }
  | { do: 'reset' }
  | { do: 'plan'; minuteLimit: number }
  | { do: 'time'; from: 'minute' | 'midnight' | 'now'; offsetMs: number }
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
const aMoment = fc.record({
  do: fc.constant('time' as const),
  from: fc.constant('now' as const),
  offsetMs: fc.constantFrom(1, 60, 150),
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
  { arbitrary: aMoment, weight: 2 },
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
  const through = async <T>(call: () => Promise<T>): Promise<T> => {
    await turn();
    const answer = await call();
    await turn();
    if (lost.answers === 0) return answer;
    lost.answers -= 1;
    throw new QuotaStoreError(new Error('the answer was lost'));
  };
  return {
    ...store,
    decide: (...given) => through(() => store.decide(...given)),
    add: (...given) => through(() => store.add(...given)),
  };
}

type Process = StoreLimiter & Partial<Pick<LeasingLimiter, 'close'>>;

interface Kind {
  processOn: (store: QuotaStore) => Process;
  /** Whether a request may be decided before an earlier one that is in progress. */
  mayOvertake: boolean;
}

const WITHOUT_LEASES: Kind = { processOn: limiterOn, mayOvertake: false };

/** Leases units of meters as small as those of these tests, and large parts of what is left. */
export const WITH_LEASES: Kind = {
  processOn: (store) =>
    createLeasingLimiter(limiterOn(store), () => Date.now(), {
      leaseMs: 100,
      leastDemand: 2,
      partOfRemaining: 3,
    }),
  mayOvertake: true,
};

/** A store that knows which of its calls are in progress. */
function watched(store: QuotaStore): { store: QuotaStore; quiet: () => Promise<void> } {
  const running: Promise<unknown>[] = [];
  const watch = <T>(call: Promise<T>) => {
    running.push(call);
    return call;
  };
  const quiet = async () => {
    // A call that ends may begin another one in the same turn of the event loop.
    while (running.length > 0) {
      await Promise.allSettled(running.splice(0));
      await new Promise(setImmediate);
    }
  };
  return {
    store: {
      ...store,
      decide: (...given) => watch(store.decide(...given)),
      add: (...given) => watch(store.add(...given)),
    },
    quiet,
  };
}

/** Moves to a time near the end of the minute that began last, or near midnight, or a moment ahead; never back. */
function timeOf(step: Extract<Step, { do: 'time' }>, minuteEndMs: number): number {
  if (step.from === 'now') return Date.now() + step.offsetMs;
  const end = step.from === 'minute' ? minuteEndMs : MIDNIGHT;
  return Math.max(Date.now(), end + step.offsetMs);
}

export function describeLimiterProperties(
  name: string,
  runs: number,
  make: () => Promise<StoreUnderTest>,
  { processOn, mayOvertake }: Kind = WITHOUT_LEASES,
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
          const processes = [0, 1, 2].map(() => processOn(scheduled(underTest.open(), scheduler, lost)));
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
          await scheduler.waitFor(Promise.all(processes.map(async (each) => each.close?.())));

          expect([...admitted].filter(([, { units, limit }]) => units > limit)).toEqual([]);
        }),
        { numRuns: runs },
      ));

    test('alone, it admits exactly what a simple count says', () =>
      fc.assert(
        fc.asyncProperty(steps, async (plannedSteps) => {
          moveDateTo(NOON);
          const { store, quiet } = watched(underTest.open());
          const limiter = processOn(store);
          let meter = freshMeter(MINUTE_LIMIT, DAY_LIMIT);
          let epoch = 0;
          let minute = { used: 0, endsAtMs: 0 };
          let day = { used: 0, endsAtMs: 0 };
          const endWindows = () => {
            const nowMs = Date.now();
            if (minute.endsAtMs <= nowMs) minute = { used: 0, endsAtMs: 0 };
            if (day.endsAtMs <= nowMs) day = { used: 0, endsAtMs: nowMs < MIDNIGHT ? MIDNIGHT : Infinity };
          };
          const expected = (cost: number): boolean => {
            endWindows();
            if (minute.used + cost > limitOf(meter) || day.used + cost > DAY_LIMIT) return false;
            if (minute.endsAtMs === 0) minute.endsAtMs = Date.now() + 60_000;
            minute.used += cost;
            day.used += cost;
            return true;
          };

          for (const step of plannedSteps)
            if (step.do === 'charge') {
              const model = step.costs.map((cost) => [expected(cost), minute.used, day.used] as const);
              const decisions = await chargeAll(limiter, meter, step.costs, mayOvertake);
              expect(decisions.map((decision) => decision.admitted)).toEqual(model.map(([fits]) => fits));
              for (const [i, { windows }] of decisions.entries())
                for (const [j, { used }] of windows.entries())
                  expect(used).toBeGreaterThanOrEqual(Number(model[i]?.[j + 1]));
            } else if (step.do === 'wait') {
              const windows = await limiter.peek(meter);
              endWindows();
              expect(windows.map(({ used }) => used)).toEqual([minute.used, day.used]);
            } else if (step.do === 'reset') {
              await quiet();
              meter = meterOf(meter.id, limitOf(meter), DAY_LIMIT, ++epoch);
              minute = { used: 0, endsAtMs: 0 };
              day = { used: 0, endsAtMs: 0 };
            } else if (step.do === 'plan') meter = meterOf(meter.id, step.minuteLimit, DAY_LIMIT, epoch);
            else if (step.do === 'time') {
              await quiet();
              moveDateTo(timeOf(step, minute.endsAtMs));
            }
          await limiter.close?.();
        }),
        { numRuns: runs },
      ));
  });
}

/** All at once, or one after the other where one may overtake others: the model knows one order. */
async function chargeAll(
  limiter: StoreLimiter,
  meter: Meter,
  costs: readonly number[],
  oneByOne: boolean,
): Promise<Decision[]> {
  if (!oneByOne) return Promise.all(costs.map((cost) => limiter.charge(meter, cost)));
  const decisions: Decision[] = [];
  for (const cost of costs) decisions.push(await limiter.charge(meter, cost));
  return decisions;
}

function limitOf(meter: { windows: readonly { limit: number }[] }): number {
  return meter.windows[0]?.limit ?? 0;
}
