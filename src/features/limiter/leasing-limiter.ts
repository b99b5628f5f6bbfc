import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import type { Clock } from '../../lib/clock.js';
import { withTimeout } from '../../lib/with-timeout.js';
import { windowState, type Meter, type WindowState } from '../plans/window.js';
import type { Decision, Limiter } from './limiter.js';
import { SAME_WINDOW_MS } from './quota-store.js';
import type { StoreLimiter } from './store-limiter.js';

export interface LeasePolicy {
  /** How long leased units may be used, milliseconds. The demand for them is measured over the same time. */
  leaseMs: number;
  /** Units used in `leaseMs` below which a key leases nothing. */
  leastDemand: number;
  /** A lease is at most what is left, divided by this. */
  partOfRemaining: number;
}

/**
 * A lease takes one store call, and another one if some of it is returned. So it saves little for a few requests.
 * A gateway that shares the store unknown to this one could be rejected wrongly only if it used up nearly all that is left
 * within 100 ms.
 */
const POLICY: LeasePolicy = { leaseMs: 100, leastDemand: 8, partOfRemaining: 1000 };

/** Bounds the memory. A lease that is dropped is still returned when it ends. */
const MAX_LEASES = 50_000;
/** How long a reading waits for the return of a lease, milliseconds. Then the rest of the lease looks used. */
const READING_WAIT_MS = 500;
/** The same for a request that would be rejected, which may wait as long as for one call, and for the end of the process. */
const REJECTION_WAIT_MS = 2000;

type GivenUp = Parameters<Limiter['charge']>[2];

/** Units of a key that the store has counted in advance. */
interface Lease {
  /** The windows that count them. */
  meter: Meter;
  /** Units that no request has used. */
  units: number;
  /** Until when they may be used, by the stopwatch. */
  untilMs: number;
  /** The windows after the last decision of the store, with the units counted. */
  windows: readonly WindowState[];
  /** When these windows end, by the stopwatch. */
  endsAtMs: readonly number[];
  extending: Promise<void> | undefined;
  /** Units on their way back to the store. */
  returning: Promise<void> | undefined;
  /** Requests that the store decides at the moment. */
  charging: Set<Promise<Decision>>;
  /** Calls of `exactly` in progress. Until they have ended, nothing is leased. */
  exactQuestions: number;
  timer: NodeJS.Timeout | undefined;
  /** Units asked for since a time, and in `leaseMs` before it. */
  asked: { sinceMs: number; units: number; unitsBefore: number };
}

export interface LeasingLimiter extends StoreLimiter {
  /** Returns all leased units to the store, if it takes them in time; leases nothing more. */
  close(): Promise<void>;
}

/**
 * Lets the store count units of a busy key in advance, as many as were used in the last 100 ms. Requests then use them
 * without a store call. What is not used within 100 ms is returned.
 *
 * Leased units are counted, as durably as others, so never more than the limit is admitted. Alone on the store, this
 * limiter rejects what it would reject without leases: before a rejection or a reading, the rest of the lease is returned.
 * `remaining` never overstates. Units on their way back can look used.
 *
 * To other processes, leased units look used, and this one does not see what others use meanwhile. A process that is
 * killed takes its units along until their window ends.
 */
export function createLeasingLimiter(
  primary: StoreLimiter,
  stopwatchMs: Clock = () => performance.now(),
  { leaseMs, leastDemand, partOfRemaining }: LeasePolicy = POLICY,
): LeasingLimiter {
  /** By key: of those with a large limit. */
  const leases = new LRUCache<string, Lease>(atMost(MAX_LEASES));
  let isClosed = false;

  const mayLease = ({ windows }: Meter) =>
    windows.every(({ limit }) => limit >= leastDemand * partOfRemaining);

  function leaseOf(meter: Meter): Lease | undefined {
    let lease = leases.get(meter.id);
    if (lease === undefined && mayLease(meter)) leases.set(meter.id, (lease = newLease(meter)));
    return lease;
  }

  const leasesOf = (meters: readonly Meter[]): Lease[] => meters.flatMap(({ id }) => leases.get(id) ?? []);

  const unitsOf = (lease: Lease) => (lease.untilMs > stopwatchMs() ? lease.units : 0);

  function noteDemand({ asked }: Lease, units: number): void {
    const nowMs = stopwatchMs();
    const ageMs = nowMs - asked.sinceMs;
    if (ageMs >= leaseMs) {
      asked.unitsBefore = ageMs < 2 * leaseMs ? asked.units : 0;
      asked.units = 0;
      asked.sinceMs = nowMs;
    }
    asked.units += units;
  }

  /** Extends the lease if less than half of the demand is left in it. */
  function extendInTime(lease: Lease, givenUp: GivenUp): void {
    if (isClosed || lease.extending !== undefined || lease.exactQuestions > 0) return;
    const demand = Math.max(lease.asked.units, lease.asked.unitsBefore);
    if (demand < leastDemand || lease.units > demand / 2 || lease.windows.length === 0) return;
    const remaining = Math.min(...lease.windows.map((window) => window.remaining));
    const more = Math.min(demand, Math.floor(remaining / partOfRemaining)) - lease.units;
    if (more < leastDemand / 2) return;
    lease.extending = extend(lease, more, givenUp).finally(() => (lease.extending = undefined));
  }

  async function extend(lease: Lease, units: number, givenUp: GivenUp): Promise<void> {
    let decision: Decision;
    try {
      decision = await primary.charge(lease.meter, units, givenUp);
    } catch {
      return;
    }
    if (!decision.admitted) return;
    noteDecision(lease, decision);
    lease.units += units;
    awaitEnd(lease, leaseMs);
  }

  /** Each decision of the store renews the lease, unless its units are counted in a window that has ended. */
  function noteDecision(lease: Lease, { windows }: Decision): void {
    const { known } = primary;
    const nowMs = stopwatchMs();
    const endsAtMs = known.of(lease.meter).map(({ msBeforeNext }) => nowMs + msBeforeNext);
    const isStillCounted = endsAtMs.every(
      (endMs, i) => Math.abs(endMs - (lease.endsAtMs[i] ?? NaN)) <= SAME_WINDOW_MS,
    );
    if (!isStillCounted) void giveBack(lease);
    const certainMs = (known.recent(lease.meter) ?? []).map(({ msBeforeNext }) => msBeforeNext);
    lease.untilMs = nowMs + Math.min(leaseMs, ...certainMs);
    lease.endsAtMs = endsAtMs;
    lease.windows = windows;
  }

  function awaitEnd(lease: Lease, leftMs: number): void {
    lease.timer ??= setTimeout(
      () => endInTime(lease),
      leftMs > 0 ? Math.min(leftMs, leaseMs) : leaseMs,
    ).unref();
  }

  function endInTime(lease: Lease): void {
    lease.timer = undefined;
    const leftMs = lease.untilMs - stopwatchMs();
    // An answer of the store that is on its way counts the units: returned now, they would look used. It renews the lease.
    if (leftMs > 0 || lease.extending !== undefined || lease.charging.size > 0) awaitEnd(lease, leftMs);
    else void giveBack(lease);
  }

  /** If the store does not take the units back, they stay counted. */
  function giveBack(lease: Lease): Promise<void> {
    const { units, meter, endsAtMs, returning: before } = lease;
    if (units === 0) return before ?? Promise.resolve();
    lease.units = 0;
    const taken = meter.windows.map(() => -units);
    const leftMs = endsAtMs.map((endMs) => endMs - stopwatchMs());
    const added = primary.add(meter, taken, leftMs).catch(() => undefined);
    const returning = Promise.all([before, added]).then(() => {
      if (lease.returning === returning) lease.returning = undefined;
    });
    lease.returning = returning;
    return returning;
  }

  async function returnAll(lease: Lease): Promise<void> {
    await lease.extending;
    // As in endInTime.
    if (lease.units > 0) await Promise.allSettled(lease.charging);
    await giveBack(lease);
  }

  /** Asks while the store counts only what was used. */
  async function exactly<T>(
    asked: readonly Lease[],
    ask: () => Promise<T>,
    waitMs = READING_WAIT_MS,
  ): Promise<T> {
    for (const lease of asked) lease.exactQuestions += 1;
    const live = asked.filter(isLive);
    // A new lease takes new demand: readings and charges by turns would otherwise lease and return.
    for (const lease of live) lease.asked = newDemand();
    try {
      if (live.length > 0) await withTimeout(Promise.all(live.map(returnAll)), waitMs).catch(() => undefined);
      return await ask();
    } finally {
      for (const lease of asked) lease.exactQuestions -= 1;
    }
  }

  /** The windows as if the rest of the lease were not counted. */
  function windowsOf({ units }: Lease, windows: readonly WindowState[]): readonly WindowState[] {
    if (units === 0) return windows;
    return windows.map((window) => windowState(window, Math.max(0, window.used - units), window.resetAtMs));
  }

  async function chargeStore(lease: Lease, ...given: Parameters<Limiter['charge']>): Promise<Decision> {
    const [meter] = given;
    const wasLive = isLive(lease);
    const charging = primary.charge(...given);
    lease.charging.add(charging);
    let decision: Decision;
    try {
      decision = await charging;
    } finally {
      lease.charging.delete(charging);
    }
    if (!isSame(lease.meter, meter)) return decision;
    const mayFit = wasLive || isLive(lease);
    noteDecision(lease, decision);
    if (!decision.admitted)
      return mayFit ? exactly([lease], () => primary.charge(...given), REJECTION_WAIT_MS) : decision;
    // The same answer may have leased units, which `extend` notes in the next microtask.
    await Promise.resolve();
    return { admitted: true, windows: windowsOf(lease, decision.windows) };
  }

  /** The key has got other windows, or this request was authenticated before it got them. */
  function chargeOtherWindows(lease: Lease, ...given: Parameters<Limiter['charge']>): Promise<Decision> {
    const [meter] = given;
    const ask = (): Promise<Decision> => {
      if (lease.units === 0 && lease.extending === undefined && !isOlder(meter, lease.meter)) {
        lease.meter = meter;
        lease.windows = [];
        lease.endsAtMs = [];
      }
      return primary.charge(...given);
    };
    return exactly([lease], ask, REJECTION_WAIT_MS);
  }

  return {
    known: primary.known,
    add: (meter, ...given) => exactly(leasesOf([meter]), () => primary.add(meter, ...given)),
    charge(meter, cost, givenUp) {
      const lease = leaseOf(meter);
      if (lease === undefined) return primary.charge(meter, cost, givenUp);
      if (!isSame(lease.meter, meter)) return chargeOtherWindows(lease, meter, cost, givenUp);
      if (!mayLease(meter)) return primary.charge(meter, cost, givenUp);
      noteDemand(lease, cost);
      const isLeased = givenUp?.aborted !== true && unitsOf(lease) >= cost;
      if (isLeased) lease.units -= cost;
      // Before the charge: both are in one group then, and this charge does not report the new units as used.
      extendInTime(lease, givenUp);
      return isLeased
        ? Promise.resolve({ admitted: true, windows: windowsOf(lease, lease.windows) })
        : chargeStore(lease, meter, cost, givenUp);
    },
    remembered(meter, cost) {
      const lease = leases.get(meter.id);
      return lease !== undefined && isLive(lease) ? undefined : primary.remembered(meter, cost);
    },
    async foresee(meter, cost) {
      const lease = leases.get(meter.id);
      if (lease === undefined) return primary.foresee(meter, cost);
      if (isSame(lease.meter, meter) && unitsOf(lease) >= cost) return undefined;
      const wasLive = isLive(lease);
      const rejection = await primary.foresee(meter, cost);
      if (rejection === undefined || !(wasLive || isLive(lease))) return rejection;
      return exactly([lease], () => primary.foresee(meter, cost), REJECTION_WAIT_MS);
    },
    peek: (meter) => exactly(leasesOf([meter]), () => primary.peek(meter)),
    peekMany: (meters) => exactly(leasesOf(meters), () => primary.peekMany(meters)),
    async close() {
      isClosed = true;
      const all = [...leases.values()];
      await exactly(all, () => Promise.resolve(), REJECTION_WAIT_MS);
      for (const { timer } of all) clearTimeout(timer);
    },
  };
}

/** Whether the store may count units of it. */
function isLive({ units, extending, returning }: Lease): boolean {
  return units > 0 || extending !== undefined || returning !== undefined;
}

/** Whether they have the same windows with the same limits. */
function isSame(one: Meter, other: Meter): boolean {
  if (one === other) return true;
  return (
    one.windows.length === other.windows.length &&
    one.windows.every(({ name, epoch, limit }, i) => {
      const same = other.windows[i];
      return same?.name === name && same.epoch === epoch && same.limit === limit;
    })
  );
}

/** Whether a window was reset since. */
function isOlder(one: Meter, other: Meter): boolean {
  return one.windows.some(({ name, epoch }) =>
    other.windows.some((newer) => newer.name === name && newer.epoch > epoch),
  );
}

function newLease(meter: Meter): Lease {
  return {
    meter,
    units: 0,
    untilMs: -Infinity,
    windows: [],
    endsAtMs: [],
    extending: undefined,
    returning: undefined,
    charging: new Set(),
    exactQuestions: 0,
    timer: undefined,
    asked: newDemand(),
  };
}

const newDemand = (): Lease['asked'] => ({ sinceMs: -Infinity, units: 0, unitsBefore: 0 });
