import { RateLimiterMemory } from 'rate-limiter-flexible';
import { DAY_MS, utcDay, type Clock } from '../../src/lib/clock.js';
import {
  WINDOW_NAMES,
  wholeWindowMs,
  type Meter,
  type WindowLimit,
} from '../../src/features/plans/window.js';
import {
  admittedOf,
  countOf,
  SAME_WINDOW_MS,
  type Counts,
  type QuotaStore,
} from '../../src/features/limiter/quota-store.js';

/** Counts in the memory of this process, with the library's memory limiter: what the tests of limiters need of a store. */
export function createMemoryQuotaStore(clock: Clock): QuotaStore {
  // Each RateLimiterMemory has its own counts, so all limits share one. Only its counts are used.
  const counters = new RateLimiterMemory({ points: 1, duration: 60, keyPrefix: 'quota' });
  /** When the last window of each counter ended or ends, in Unix milliseconds. */
  const ends = new Map<string, number>();
  /** The last step of each meter. A step reads and then writes, and the library does each in a promise. */
  const steps = new Map<string, Promise<unknown>>();

  function inTurn<T>({ id }: Meter, step: () => Promise<T>): Promise<T> {
    const done = (steps.get(id) ?? Promise.resolve()).then(step);
    const settled = done.catch(() => undefined);
    steps.set(id, settled);
    void settled.then(() => {
      if (steps.get(id) === settled) steps.delete(id);
    });
    return done;
  }

  /** A day's counter has the date in its key and is kept longer, so the library's timers do not end it early. */
  const keyOf = (id: string, { name, epoch }: Omit<WindowLimit, 'limit'>) =>
    `${id}:${name}:${epoch}${name === 'day' ? `:${utcDay(clock())}` : ''}`;

  function read(meter: Meter): Promise<Counts> {
    return Promise.all(
      meter.windows.map(async (window) => {
        const found = await counters.get(keyOf(meter.id, window));
        if (found === null) return countOf(window, 0, 0);
        // Below 0 where the library's timer is late; longer than a window where the clock was set back.
        const leftMs = Math.min(found.msBeforeNext, wholeWindowMs(window.name, clock()));
        return countOf(window, found.consumedPoints, leftMs);
      }),
    );
  }

  const endOf = (id: string, { name, epoch }: WindowLimit) => `${id}:${name}:${epoch}`;
  const durationOf = ({ name }: WindowLimit, leftMs: number) => (name === 'day' ? DAY_MS : leftMs) / 1000;

  /** Starts the window with `leftMs` to go unless it runs. */
  async function count(meter: Meter, window: WindowLimit, units: number, leftMs: number): Promise<void> {
    const { msBeforeNext } = await counters.penalty(keyOf(meter.id, window), units, {
      customDuration: durationOf(window, leftMs),
    });
    ends.set(endOf(meter.id, window), clock() + (window.name === 'day' ? leftMs : msBeforeNext));
  }

  async function addTo(
    { meter, window, before }: { meter: Meter; window: WindowLimit; before: Counts[number] },
    { added, leftMs, follows }: { added: number; leftMs: number; follows: boolean },
  ): Promise<void> {
    const { consumedPoints: used, msBeforeNext: runsForMs } = before;
    const lastEndMs = ends.get(endOf(meter.id, window)) ?? -Infinity;
    const isSame = Math.abs(lastEndMs - (clock() + leftMs)) <= SAME_WINDOW_MS;
    if (added <= 0) {
      if (isSame && runsForMs > 0) await count(meter, window, Math.max(added, -used), leftMs);
      return;
    }
    if (leftMs <= 0 || (isSame && runsForMs <= 0)) return;
    await count(meter, window, added, leftMs);
    if (!follows || runsForMs <= 0 || window.name === 'day' || leftMs <= runsForMs) return;
    await counters.set(keyOf(meter.id, window), used + added, leftMs / 1000);
    ends.set(endOf(meter.id, window), clock() + leftMs);
  }

  return {
    decide: (meter, costs) =>
      inTurn(meter, async () => {
        const before = await read(meter);
        const free = Math.min(...before.map(({ remainingPoints }) => remainingPoints));
        const { units } = admittedOf(costs, free);
        if (units === 0) return { free, windows: before };
        for (const window of meter.windows)
          await count(meter, window, units, wholeWindowMs(window.name, clock()));
        return { free, windows: await read(meter) };
      }),
    add: (meter, units, leftMs, _known, follows = false) =>
      inTurn(meter, async () => {
        const counts = await read(meter);
        for (const [i, window] of meter.windows.entries()) {
          const before = counts[i] ?? countOf(window, 0, 0);
          await addTo({ meter, window, before }, { added: units[i] ?? 0, leftMs: leftMs[i] ?? 0, follows });
        }
        return read(meter);
      }),
    read: (meters) => Promise.all(meters.map((meter) => inTurn(meter, () => read(meter)))),
    async remove(keys) {
      for (const { id, epochs } of keys)
        for (const name of WINDOW_NAMES) await counters.delete(keyOf(id, { name, epoch: epochs[name] }));
    },
  };
}
