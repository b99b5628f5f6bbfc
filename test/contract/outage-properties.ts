import fc from 'fast-check';
import { createLeasingLimiter } from '../support/store-limiter.js';
import { QuotaStoreError } from '../../src/features/limiter/limiter.js';
import { createStoreLimiter, type StoreLimiter } from '../support/store-limiter.js';
import { systemClock } from '../../src/lib/clock.js';
import { freshMeter } from './limiter.js';
import { fallbackOver } from '../support/fallback-limiter.js';
import { createMemoryQuotaStore } from '../support/memory-quota-store.js';
import { quotaStoreThrough, type ThroughStore } from '../support/quota-store-through.js';
import { turns } from '../support/turns.js';
import { until } from '../support/until.js';

/** Whether the connection works, and if not, whether the store gets what it is asked. */
type Line = 'up' | 'cut before' | 'cut after';

type Step =
  { do: 'charge'; cost: number } | { do: 'look' } | { do: 'line'; is: Line } | { do: 'wait'; turns: number };

const LIMIT = 60;
const LINES: readonly Line[] = ['up', 'cut before', 'cut after'];

const steps = fc.array<Step>(
  fc.oneof(
    {
      arbitrary: fc.record({ do: fc.constant('charge' as const), cost: fc.integer({ min: 1, max: 20 }) }),
      weight: 8,
    },
    { arbitrary: fc.record({ do: fc.constant('look' as const) }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant('line' as const), is: fc.constantFrom(...LINES) }), weight: 3 },
    {
      arbitrary: fc.record({
        do: fc.constant('wait' as const),
        turns: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constant(300)),
      }),
      weight: 4,
    },
  ),
  { minLength: 5, maxLength: 60 },
);
/** How long each call of the store takes before and after it, in turns of the event loop. */
const delays = fc.infiniteStream(
  fc.oneof(
    { arbitrary: fc.integer({ min: 0, max: 4 }), weight: 9 },
    // Longer than until the next probe.
    { arbitrary: fc.constant(500), weight: 1 },
  ),
);

const KINDS: readonly (readonly [string, (store: StoreLimiter) => StoreLimiter])[] = [
  ['without leases', (store) => store],
  [
    'with leases',
    (store) => createLeasingLimiter(store, systemClock, { leaseMs: 100, leastDemand: 2, partOfRemaining: 3 }),
  ],
];

/**
 * One process admits no more than the limit, whenever its store fails.
 * @param runs sequences of events for each kind of limiter; FUZZ_RUNS overrides it
 */
export function describeOutageProperties(runs: number): void {
  test.each(KINDS)(
    '%s, one process never admits more than the limit, whenever its store fails and works again',
    async (_name, above) => {
      await fc.assert(
        fc.asyncProperty(steps, delays, async (given, waits) => {
          const memory = createMemoryQuotaStore(systemClock);
          const pause = () => turns(waits.next().value as number);
          let line: Line = 'up';
          const through: ThroughStore = async (call) => {
            await pause();
            if (line === 'cut before') throw new QuotaStoreError(new Error('cut'));
            const answer = await call();
            await pause();
            if (line === 'cut after') throw new QuotaStoreError(new Error('cut'));
            return answer;
          };
          const store = quotaStoreThrough(memory, through);
          const limiter = fallbackOver(above(createStoreLimiter(store, systemClock)), {
            callTimeoutMs: 2000,
            retryMs: 1,
            probe: () => through(() => Promise.resolve(), ''),
          });
          const meter = freshMeter(LIMIT, LIMIT);
          let admitted = 0;
          const asked: Promise<unknown>[] = [];
          for (const step of given)
            if (step.do === 'charge')
              asked.push(
                limiter.charge(meter, step.cost).then((decision) => {
                  if (decision.admitted) admitted += step.cost;
                }),
              );
            else if (step.do === 'look') asked.push(limiter.peek(meter));
            else if (step.do === 'line') line = step.is;
            else await turns(step.turns);
          line = 'up';
          await Promise.all(asked);
          await until('the store to be back', () => Promise.resolve(!limiter.state().down));
          for (let i = 0; i < LIMIT + 1; i++) if ((await limiter.charge(meter, 1)).admitted) admitted += 1;
          await limiter.close();
          expect(admitted).toBeLessThanOrEqual(LIMIT);
        }),
        { numRuns: Number(process.env['FUZZ_RUNS'] ?? runs) },
      );
    },
    60_000,
  );
}
