import fc from 'fast-check';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLeasingLimiter } from '../../support/store-limiter.js';
import { createMemoryQuotaStore } from '../../support/memory-quota-store.js';
import { quotaStoreThrough } from '../../support/quota-store-through.js';
import type { QuotaStore } from '../../../src/features/limiter/quota-store.js';
import { freshMeter, limiterOn } from '../../contract/limiter.js';
import { turns } from '../../support/turns.js';

type Step =
  | { do: 'charge'; cost: number; awaited: boolean }
  | { do: 'peek' }
  | { do: 'turn' }
  | { do: 'remember' }
  | { do: 'sleep'; ms: number };

const steps = fc.array<Step>(
  fc.oneof(
    {
      arbitrary: fc.record({
        do: fc.constant('charge' as const),
        cost: fc.integer({ min: 1, max: 9 }),
        awaited: fc.boolean(),
      }),
      weight: 14,
    },
    {
      arbitrary: fc.constantFrom<Step>({ do: 'peek' }, { do: 'turn' }, { do: 'remember' }),
      weight: 5,
    },
    {
      arbitrary: fc.record({ do: fc.constant('sleep' as const), ms: fc.integer({ min: 1, max: 15 }) }),
      weight: 1,
    },
  ),
  { minLength: 20, maxLength: 80 },
);

/** Decides the calls in their order, each after some turns of the event loop, and answers some turns later. */
function slowed(store: QuotaStore, waits: readonly number[]): QuotaStore {
  let call = 0;
  let last: Promise<unknown> = Promise.resolve();
  const pause = () => turns(waits[call++ % waits.length] ?? 0);
  const inOrder = <T>(ask: () => Promise<T>): Promise<T> => {
    const decided = last.then(pause).then(ask);
    last = decided.catch(() => undefined);
    return decided.then(async (value) => {
      await pause();
      return value;
    });
  };
  return quotaStoreThrough(store, inOrder);
}

test('alone, whatever overlaps: nothing too many, nothing wrongly rejected, nothing overstated, all returned', () =>
  fc.assert(
    fc.asyncProperty(
      steps,
      fc.integer({ min: 20, max: 220 }),
      fc.array(fc.nat({ max: 4 }), { minLength: 5, maxLength: 20 }),
      async (plannedSteps, limit, waits) => {
        const store = createMemoryQuotaStore(() => Date.now());
        const policy = { leaseMs: 6, leastDemand: 2, partOfRemaining: 3 };
        const limiter = createLeasingLimiter(limiterOn(slowed(store, waits)), () => Date.now(), policy);
        const meter = freshMeter(limit, limit * 10);
        /** Units admitted and answered; and those that are admitted or undecided. */
        let [answered, sent] = [0, 0];
        const running: Promise<void>[] = [];

        async function charge(cost: number): Promise<void> {
          const answeredBefore = answered;
          sent += cost;
          const { admitted, windows } = await limiter.charge(meter, cost);
          if (admitted) {
            answered += cost;
            for (const { used } of windows) expect(used).toBeGreaterThanOrEqual(answeredBefore + cost);
          } else {
            expect(sent).toBeGreaterThan(limit);
            sent -= cost;
          }
        }
        async function peek(): Promise<void> {
          const answeredBefore = answered;
          for (const { used } of await limiter.peek(meter)) {
            expect(used).toBeGreaterThanOrEqual(answeredBefore);
            expect(used).toBeLessThanOrEqual(sent);
          }
        }

        for (const step of plannedSteps)
          if (step.do === 'charge') {
            const charged = charge(step.cost);
            if (step.awaited) await charged;
            else running.push(charged);
          } else if (step.do === 'peek') running.push(peek());
          else if (step.do === 'remember') {
            if (limiter.remembered(meter, 1) !== undefined) expect(sent).toBeGreaterThanOrEqual(limit);
          } else if (step.do === 'sleep') await sleep(step.ms);
          else await new Promise(setImmediate);
        await Promise.all(running);
        await limiter.close();

        expect(answered).toBeLessThanOrEqual(limit);
        const [minute] = await limiterOn(store).peek(meter);
        expect(minute?.used).toBe(answered);
      },
    ),
    { numRuns: 150 },
  ));
