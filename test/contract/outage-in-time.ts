import fc from 'fast-check';
import { createLeasingLimiter } from '../support/store-limiter.js';
import { QuotaStoreError } from '../../src/features/limiter/limiter.js';
import { SAME_WINDOW_MS } from '../../src/features/limiter/quota-store.js';
import { createStoreLimiter, type StoreLimiter } from '../support/store-limiter.js';
import { systemClock } from '../../src/lib/clock.js';
import { freshMeter } from './limiter.js';
import { fallbackOver } from '../support/fallback-limiter.js';
import { freezeDate, MIDNIGHT, moveDateBy, moveDateTo, releaseDate } from '../support/fake-date.js';
import { createMemoryQuotaStore } from '../support/memory-quota-store.js';
import { quotaStoreThrough, type ThroughStore } from '../support/quota-store-through.js';
import { turns } from '../support/turns.js';
import { until } from '../support/until.js';

const MINUTE_MS = 60_000;
const PER_MINUTE = 10;
const PER_DAY = 25;
/** Answers are on their way for up to 0.4 s here, and the limiter takes ends that differ by less for the same. */
const TOLERANCE_MS = SAME_WINDOW_MS + 1000;

/** Whether the connection works, and if not, whether the store gets what it is asked. */
type Line = 'up' | 'cut before' | 'cut after';
/** Each of two keys has a node of the store of its own. The probe asks a third one. */
type Place = 0 | 1 | 'probe' | 'everywhere';

type Step =
  | { do: 'charge'; key: 0 | 1; cost: number; times: number }
  | { do: 'look'; key: 0 | 1 }
  | { do: 'line'; at: Place; is: Line }
  | { do: 'pass'; ms: number }
  | { do: 'wait'; turns: number };

const key = fc.constantFrom(0 as const, 1 as const);
const steps = fc.array<Step>(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('charge' as const),
        key,
        cost: fc.integer({ min: 1, max: 3 }),
        times: fc.constantFrom(1, 1, 2, PER_MINUTE + 2),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('look' as const), key }) },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('line' as const),
        at: fc.constantFrom<Place>(0, 1, 'probe', 'everywhere'),
        is: fc.constantFrom<Line>('up', 'cut before', 'cut after'),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constant('pass' as const),
        ms: fc.constantFrom(1, 10, 100, 500, 1000, 5000, 20_000, 29_000, 58_000, 59_000, 59_500, 59_900),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('wait' as const), turns: fc.constantFrom(1, 2, 3, 5, 30, 200) }),
    },
  ),
  { minLength: 5, maxLength: 60 },
);
/** How long each way to the store and back takes: turns of the event loop, and milliseconds of the clock. */
const ways = fc.infiniteStream(fc.tuple(fc.constantFrom(0, 0, 1, 2, 4), fc.constantFrom(0, 0, 1, 20, 200)));

/** Units that were admitted at a time. A request counts between the time when it came, with 0 units, and its decision. */
interface Admission {
  atMs: number;
  units: number;
}

/** Whether minutes can have begun at some of these times so that each admitted at most its limit. */
function fitIntoMinutes(admissions: readonly Admission[]): boolean {
  const inOrder = admissions.toSorted((a, b) => a.atMs - b.atMs);
  const canBeginAt = new Set([0]);
  for (const [i, first] of inOrder.entries()) {
    if (!canBeginAt.has(i)) continue;
    let units = 0;
    for (let next = i; units <= PER_MINUTE; next++) {
      const one = inOrder[next];
      if (one === undefined) return true;
      if (next > i && one.atMs >= first.atMs + MINUTE_MS - TOLERANCE_MS) canBeginAt.add(next);
      units += one.units;
    }
  }
  return inOrder.length === 0;
}

function fitIntoDays(admissions: readonly Admission[]): boolean {
  const unitsOf = (belongs: (atMs: number) => boolean) =>
    admissions.filter(({ atMs }) => belongs(atMs)).reduce((sum, { units }) => sum + units, 0);
  const before = unitsOf((atMs) => atMs < MIDNIGHT);
  const after = unitsOf((atMs) => atMs >= MIDNIGHT + TOLERANCE_MS);
  return Math.max(before, after) <= PER_DAY && unitsOf(() => true) <= 2 * PER_DAY;
}

const KINDS: readonly (readonly [
  string,
  (store: StoreLimiter, stopwatchMs: () => number) => StoreLimiter,
])[] = [
  ['without leases', (store) => store],
  [
    'with leases',
    (store, stopwatchMs) =>
      createLeasingLimiter(store, stopwatchMs, { leaseMs: 100, leastDemand: 2, partOfRemaining: 3 }),
  ],
];

/** As describeOutageProperties, with windows that end while the store fails. */
export function describeOutageInTime(runs: number): void {
  describe('in time', () => {
    beforeEach(() => freezeDate());
    afterEach(releaseDate);

    test.each(KINDS)(
      '%s, one process never admits more than the limit in a minute or a day, whenever stores fail and time passes',
      async (_name, above) => {
        await fc.assert(
          fc.asyncProperty(
            steps,
            ways,
            fc.integer({ min: 10_000, max: 200_000 }),
            async (given, wayOf, toMidnightMs) => {
              moveDateTo(MIDNIGHT - toMidnightMs);
              const begunMs = Date.now();
              const stopwatchMs = () => Date.now() - begunMs + 1;
              const meters = [freshMeter(PER_MINUTE, PER_DAY), freshMeter(PER_MINUTE, PER_DAY)] as const;
              const lines = new Map<Place, Line>();
              let asking = 0;

              async function goOneWay(): Promise<void> {
                const [waits, ms] = wayOf.next().value as [number, number];
                await turns(waits);
                moveDateBy(ms);
              }
              const through: ThroughStore = async (call, id) => {
                const place = meters.findIndex((meter) => meter.id === id) as 0 | 1 | -1;
                const isCut = (how: Line) =>
                  [lines.get('everywhere'), lines.get(place === -1 ? 'probe' : place)].includes(how);
                asking += 1;
                try {
                  await goOneWay();
                  if (isCut('cut before')) throw new QuotaStoreError(new Error('cut'));
                  const answer = await call();
                  await goOneWay();
                  if (isCut('cut after')) throw new QuotaStoreError(new Error('cut'));
                  return answer;
                } finally {
                  asking -= 1;
                }
              };
              const store = quotaStoreThrough(createMemoryQuotaStore(systemClock), through);
              const limiter = fallbackOver(
                above(createStoreLimiter(store, systemClock, stopwatchMs), stopwatchMs),
                {
                  callTimeoutMs: 2000,
                  retryMs: 1,
                  probe: () => through(() => Promise.resolve(), ''),
                  stopwatchMs,
                },
              );
              /** Waits, for longer than a call may take by the limiter's real timeouts, only while no call is in progress. */
              async function passTime(ms: number): Promise<void> {
                for (let i = 0, quiet = 0; i < 400 && quiet < 6; i++) {
                  await turns(1);
                  quiet = asking > 0 ? 0 : quiet + 1;
                }
                if (asking === 0 || ms <= 1000) moveDateBy(ms);
              }

              const admissions: [Admission[], Admission[]] = [[], []];
              async function charge(of: 0 | 1, cost: number): Promise<void> {
                admissions[of].push({ atMs: Date.now(), units: 0 });
                const { admitted } = await limiter.charge(meters[of], cost);
                admissions[of].push({ atMs: Date.now(), units: admitted ? cost : 0 });
              }

              const asked: Promise<unknown>[] = [];
              for (const step of given)
                if (step.do === 'charge')
                  for (let i = 0; i < step.times; i++) asked.push(charge(step.key, step.cost));
                else if (step.do === 'look') asked.push(limiter.peek(meters[step.key]));
                else if (step.do === 'line') lines.set(step.at, step.is);
                else if (step.do === 'pass') await passTime(step.ms);
                else await turns(step.turns);
              lines.clear();
              await Promise.all(asked);
              await until('the recovery', () => Promise.resolve(!limiter.state().down));
              for (let i = 0; i <= PER_MINUTE; i++) await Promise.all([charge(0, 1), charge(1, 1)]);
              await limiter.close();
              expect(admissions.map(fitIntoMinutes)).toEqual([true, true]);
              expect(admissions.map(fitIntoDays)).toEqual([true, true]);
            },
          ),
          { numRuns: Number(process.env['FUZZ_RUNS'] ?? runs) },
        );
      },
    );
  });
}
