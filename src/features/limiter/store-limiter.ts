import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import type { Clock } from '../../lib/clock.js';
import { currentTrace, inTraceOf, type Traced } from '../../lib/trace-context.js';
import { TimeoutError, withTimeout } from '../../lib/with-timeout.js';
import type { Meter, WindowState } from '../plans/window.js';
import { createKnownCounts, statesOf, type KnownCounts } from './known-counts.js';
import { QuotaStoreError, type Decision, type Limiter, type Refusal } from './limiter.js';
import { admittedOf, type Counts, type Outcome, type QuotaStore } from './quota-store.js';

/** Bounds the memory of queues. A queue that is dropped costs a store call, never an admission too many. */
const MAX_QUEUES = 50_000;
/** How long one call of the store may take, milliseconds. */
const CALL_TIMEOUT_MS = 2000;
/** Costs that go to the store as one. */
const MAX_GROUP = 1000;

interface Waiting extends Traced {
  cost: number;
  givenUp: { readonly aborted: boolean } | undefined;
  resolve: (decision: Decision) => void;
  reject: (error: unknown) => void;
}

/** The requests of one meter that wait for the store. */
interface Queue {
  meter: Meter;
  waiting: Waiting[];
  isBusy: boolean;
}

export interface StoreLimiter extends Limiter {
  known: KnownCounts;
  /** See QuotaStore.add. */
  add(meter: Meter, units: readonly number[], leftMs: readonly number[], follows?: boolean): Promise<void>;
}

/**
 * The limiter over a store of quotas. The requests of a meter go to the store one group at a time: those that arrive
 * together, or while a group is decided, form one. A rejection that is certain from the counts that this process last saw
 * asks no store.
 *
 * A store that does not answer in time fails the group. If it answers later, what it admitted for the group is taken
 * back, because the requests were decided otherwise. What it decided more than SAME_WINDOW_MS before stays counted.
 */
export function createStoreLimiter(
  store: QuotaStore,
  clock: Clock,
  stopwatchMs: Clock = () => performance.now(),
  callTimeoutMs = CALL_TIMEOUT_MS,
): StoreLimiter {
  const queues = new LRUCache<string, Queue>(atMost(MAX_QUEUES));
  /** A caller's meter stays the same object while its key is cached, so its name is rarely spelled. */
  const queueOfMeter = new WeakMap<Meter, Queue>();
  const known = createKnownCounts(stopwatchMs);
  const begun: Queue[] = [];

  function queueOf(meter: Meter): Queue {
    const queue = queueOfMeter.get(meter) ?? queueNamedAfter(meter);
    queueOfMeter.set(meter, queue);
    return queue;
  }

  function queueNamedAfter(meter: Meter): Queue {
    const id = `${meter.id} ${meter.windows.map((w) => `${w.name}:${w.epoch}:${w.limit}`).join(' ')}`;
    let queue = queues.get(id);
    if (queue === undefined) queues.set(id, (queue = { meter, waiting: [], isBusy: false }));
    return queue;
  }

  /**
   * Lets the requests of this turn of the event loop join before the first of them goes to the store. The queues of all
   * meters go on in one callback, so that their groups are one batch for the store.
   */
  function begin(queue: Queue): void {
    queue.isBusy = true;
    if (begun.push(queue) === 1)
      setImmediate(() => {
        for (const one of begun.splice(0)) void drain(one);
      });
  }

  async function drain(queue: Queue): Promise<void> {
    while (queue.waiting.length > 0) {
      const group = queue.waiting.splice(0, MAX_GROUP);
      try {
        await inTraceOf(group, decide, queue.meter);
      } catch (error) {
        // Requests that wait behind a store that failed would only wait for it to fail again. Those behind a group that
        // was given up came after the outage.
        const behind = group.every(isGivenUp) ? [] : queue.waiting.splice(0);
        for (const waiting of [...group, ...behind]) waiting.reject(error);
      }
    }
    queue.isBusy = false;
  }

  async function decide(group: readonly Waiting[], meter: Meter): Promise<void> {
    const asking = group.filter((waiting) => {
      if (rejectIfGivenUp(waiting)) return false;
      const refusal = remembered(meter, waiting.cost);
      if (refusal !== undefined) waiting.resolve(refusal);
      return refusal === undefined;
    });
    if (asking.length === 0) return;

    const costs = asking.map(({ cost }) => cost);
    const askedAtMs = stopwatchMs();
    const outcome = await inTime(store.decide(meter, costs, known.forStore(meter)), (late) =>
      takeBack(meter, admittedOf(costs, late.free).units, late.windows),
    );
    // What nobody waits for any more can be older than what was seen since.
    if (!asking.every(isGivenUp)) known.see(meter, outcome.windows, askedAtMs);
    answer(meter, asking, outcome);
  }

  function answer(meter: Meter, asking: readonly Waiting[], { free, windows: counts }: Outcome): void {
    const { admitted } = admittedOf(
      asking.map(({ cost }) => cost),
      free,
    );
    const windows = statesOf(meter, counts, clock());
    let unused = 0;
    for (const [i, waiting] of asking.entries())
      if (admitted[i] !== true) waiting.resolve(refusalOf(windows, waiting.cost, clock()));
      else if (rejectIfGivenUp(waiting)) unused += waiting.cost;
      else waiting.resolve({ admitted: true, windows });

    takeBack(meter, unused, counts);
  }

  /** Takes back what the store counted for requests that nobody waits for. If that fails, they stay counted. */
  function takeBack(meter: Meter, units: number, counts: Counts): void {
    if (units === 0) return;
    const taken = meter.windows.map(() => -units);
    const left = counts.map(({ msBeforeNext }) => msBeforeNext);
    void addAndSee('seeLess', meter, taken, left).catch(() => undefined);
  }

  async function inTime<T>(answer: Promise<T>, late: (value: T) => void = () => undefined): Promise<T> {
    let isLate = false;
    void answer.then((value) => isLate && late(value)).catch(() => undefined);
    try {
      return await withTimeout(answer, callTimeoutMs);
    } catch (error) {
      isLate = true;
      throw error instanceof TimeoutError ? new QuotaStoreError(error) : error;
    }
  }

  async function addAndSee(
    see: 'see' | 'seeLess',
    ...[meter, units, leftMs, follows]: Parameters<StoreLimiter['add']>
  ): Promise<void> {
    const askedAtMs = stopwatchMs();
    known[see](
      meter,
      await inTime(store.add(meter, units, leftMs, known.forStore(meter), follows)),
      askedAtMs,
    );
  }

  const peekMany: Limiter['peekMany'] = async (meters) => {
    const askedAtMs = stopwatchMs();
    const counts = await inTime(store.read(meters));
    return meters.map((meter, i) => {
      known.seeUnlessNewer(meter, counts[i] ?? [], askedAtMs);
      return statesOf(meter, counts[i] ?? [], clock());
    });
  };

  const peek: Limiter['peek'] = async (meter) => (await peekMany([meter]))[0] ?? [];

  function remembered(meter: Meter, cost: number): Refusal | undefined {
    const counts = known.recent(meter);
    if (counts === undefined || fits(counts, cost)) return undefined;
    // While a window has something left, others may use it: what remains would be overstated.
    if (fits(counts, 1)) return undefined;
    const nowMs = clock();
    // With the latest end that is possible: who waits that long is not rejected again.
    return refusalOf(statesOf(meter, known.of(meter), nowMs), cost, nowMs);
  }

  return {
    known,
    add: (...given) => addAndSee('see', ...given),
    charge: (meter, cost, givenUp) =>
      new Promise((resolve, reject) => {
        const queue = queueOf(meter);
        queue.waiting.push({ cost, givenUp, trace: currentTrace(), resolve, reject });
        if (!queue.isBusy) begin(queue);
      }),
    remembered,
    async foresee(meter, cost) {
      const refusal = remembered(meter, cost);
      if (refusal !== undefined) return refusal;
      return refusalIn(await peek(meter), cost, clock());
    },
    peek,
    peekMany,
  };
}

/** Nobody waits for the response any more: the request is neither admitted nor rejected. */
const isGivenUp = ({ givenUp }: Waiting): boolean => givenUp?.aborted === true;

function rejectIfGivenUp(waiting: Waiting): boolean {
  if (!isGivenUp(waiting)) return false;
  waiting.reject(new QuotaStoreError(new Error('given up while it waited')));
  return true;
}

function fits(counts: Counts, cost: number): boolean {
  return counts.every(({ remainingPoints }) => cost <= remainingPoints);
}

/** Undefined if the cost fits into all windows. */
export function refusalIn(windows: readonly WindowState[], cost: number, nowMs: number): Refusal | undefined {
  return windows.every(({ remaining }) => cost <= remaining) ? undefined : refusalOf(windows, cost, nowMs);
}

function refusalOf(windows: readonly WindowState[], cost: number, nowMs: number): Refusal {
  const refusing = windows.filter((window) => cost > window.remaining);
  const resets = refusing.map((window) => (window.resetAtMs ?? nowMs) - nowMs);
  return {
    admitted: false,
    windows,
    refusedBy: refusing.map((window) => window.name),
    retryAfterMs: Math.max(0, ...resets),
  };
}
