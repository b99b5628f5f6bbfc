import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import type { Clock } from '../../lib/clock.js';
import { SAME_COUNTER_MS, type Count, type Counters } from './counters.js';

export interface LeasedCounters extends Counters {
  /** Begins to give back what leases do not spend in time. */
  start(): void;
  /** Gives back what is unspent, and ends the timer. */
  close(): Promise<void>;
}

export interface LeasePolicy {
  /** The smallest limit of a key's windows from which on they are leased from at all. */
  minLimit: number;
  /** A lease is at most this part of what its window has left, so that leases shrink away towards the limit. */
  partOfRemaining: number;
  /** Fewer units are not worth a lease. */
  minUnits: number;
  maxUnits: number;
  /** How long demand is measured before it is believed, milliseconds. */
  measuredMs: number;
}

const POLICY: LeasePolicy = {
  minLimit: 300,
  partOfRemaining: 1 / 20,
  minUnits: 5,
  maxUnits: 1000,
  measuredMs: 25,
};
/**
 * A lease is to last this long at the demand seen. Then what is left of it is given back, but for what the demand of
 * that moment will have spent as long again. Milliseconds.
 */
const LIVES_MS = 1000;
/** After this long without a request, demand is forgotten, milliseconds. */
const FORGOTTEN_MS = 1000;
const SWEEP_MS = 250;
/** Bounds the memory; what is dropped is given back. */
const MAX_LEASES = 50_000;

/** What this process knows of one counter. */
interface Lease {
  /** Units bought and not spent, and what they were after the last purchase. */
  left: number;
  bought: number;
  takenAtMs: number;
  /** What the store told last, unspent units included. */
  counted: Count | undefined;
  /** The last give-back, which may be under way. */
  returning: Promise<void> | undefined;
  /** Demand: units asked for since `measuredSinceMs`, and per millisecond in the measurement before. */
  asked: number;
  measuredSinceMs: number;
  perMs: number;
}

/**
 * Counters whose units are bought in advance: one `add` in the store buys what the next requests spend in memory.
 *
 * - One process alone is exact: its own unspent units are taken off every count it tells.
 * - Several processes never admit too many, because a unit is on the store's counter before anybody spends it. They fall
 *   short by what the others hold: each at most a twentieth of what the window has left, which it spends within a
 *   second, or gives back after little more than one.
 * - A lease belongs to one counter: it ends with its window, and a reset begins a counter that it is not for. What is
 *   given back too late meets no counter and lapses, as does what a killed process had left.
 * - While a process spends a lease, the counts it tells leave out what others have used since it was bought.
 */
export function createLeasedCounters(store: Counters, clock: Clock, policy = POLICY): LeasedCounters {
  const leases = new LRUCache<string, Lease>({
    ...atMost(MAX_LEASES),
    dispose: (lease, key) => void refund(key, lease, lease.left),
  });
  /** Those with units left. */
  const held = new Map<string, Lease>();
  let sweeps: NodeJS.Timeout | undefined;

  function sweep(): void {
    const nowMs = clock();
    for (const [key, lease] of held) {
      // A clock that is set back must not make a lease live on.
      if (Math.abs(nowMs - lease.takenAtMs) < LIVES_MS) continue;
      lease.takenAtMs = nowMs;
      const surplus = lease.left - Math.floor(demandPerMs(lease, nowMs, policy) * LIVES_MS);
      if (surplus > 0) void refund(key, lease, surplus);
    }
  }

  function leaseOf(key: string): Lease {
    const known = leases.get(key);
    if (known !== undefined) return known;
    const lease: Lease = {
      left: 0,
      bought: 0,
      takenAtMs: 0,
      counted: undefined,
      returning: undefined,
      asked: 0,
      measuredSinceMs: clock(),
      perMs: 0,
    };
    leases.set(key, lease);
    return lease;
  }

  /** Whoever asks the store next waits for it: until then the store counts units that nobody will spend. */
  async function refund(key: string, lease: Lease, units: number): Promise<void> {
    const { counted } = lease;
    if (units === lease.left) held.delete(key);
    if (units === 0 || counted === undefined) return;
    lease.left -= units;
    lease.bought = lease.left;
    counted.units -= units;
    lease.returning = store
      .refund(key, units, counted.expiresAtMs)
      // Whether it was done is unknown: should it not be, the counter stands too high, which admits none too many.
      .catch(() => undefined);
    await lease.returning;
  }

  async function buy(key: string, lease: Lease, limit: number, units: number, forMs: number): Promise<Count> {
    await lease.returning;
    const wanted = wantedUnits(lease, limit, policy);
    const count = await store.add(key, limit, units + wanted, forMs);
    if (!isSameCounter(lease.counted, count)) lease.left = 0;
    lease.counted = { ...count };
    lease.left += wanted;
    lease.bought = lease.left;
    const used = { ...count, units: count.units - lease.left };
    if (wanted === 0) return used;

    lease.takenAtMs = clock();
    held.set(key, lease);
    // Others may have used much since the count that `wanted` was reckoned from.
    const tooMany = lease.left - mostUnits(limit - used.units, policy);
    if (tooMany > 0) void refund(key, lease, tooMany);
    return used;
  }

  return {
    start() {
      sweeps ??= setInterval(sweep, SWEEP_MS).unref();
    },
    async add(key, limit, units, lifetimeMs, smallestLimit = limit) {
      if (smallestLimit < policy.minLimit) return store.add(key, limit, units, lifetimeMs);
      const lease = leaseOf(key);
      const nowMs = clock();
      measureDemand(lease, units, nowMs, policy);
      const { counted } = lease;
      if (counted === undefined || lease.left < units || nowMs >= counted.expiresAtMs)
        return buy(key, lease, limit, units, lifetimeMs);
      lease.left -= units;
      return { ...counted, units: counted.units - lease.left };
    },
    async refund(key, units, expiresAtMs) {
      const lease = leases.peek(key);
      if (lease === undefined || !isSameCounter(lease.counted, { expiresAtMs }))
        return store.refund(key, units, expiresAtMs);
      if (lease.left + units <= lease.bought) {
        lease.left += units;
        held.set(key, lease);
        return;
      }
      await store.refund(key, units, expiresAtMs);
      if (isSameCounter(lease.counted, { expiresAtMs })) lease.counted.units -= units;
    },
    async getMany(keys) {
      const known = keys.map((key) => leases.peek(key));
      for (const lease of known) await lease?.returning;
      const leftBefore = known.map((lease) => lease?.left ?? 0);
      const counts = await store.getMany(keys);
      return counts.map((count, i) => {
        const lease = known[i];
        if (count === undefined || lease === undefined || !isSameCounter(lease.counted, count)) return count;
        // What was bought while the store was asked may not be in its answer.
        return { ...count, units: count.units - Math.min(lease.left, leftBefore[i] ?? 0) };
      });
    },
    async close() {
      clearInterval(sweeps);
      await Promise.all([...held].map(([key, lease]) => refund(key, lease, lease.left)));
    },
  };
}

function measureDemand(lease: Lease, units: number, nowMs: number, policy: LeasePolicy): void {
  if (Math.abs(nowMs - lease.measuredSinceMs) >= policy.measuredMs) {
    lease.perMs = demandPerMs(lease, nowMs, policy);
    lease.asked = 0;
    lease.measuredSinceMs = nowMs;
  }
  lease.asked += units;
}

/** A measurement that was not followed by another in time was followed by silence. */
function demandPerMs({ asked, measuredSinceMs, perMs }: Lease, nowMs: number, policy: LeasePolicy): number {
  const forMs = Math.abs(nowMs - measuredSinceMs);
  if (forMs >= FORGOTTEN_MS) return 0;
  return forMs < policy.measuredMs ? perMs : asked / forMs;
}

/** How many units to buy beside those that are needed now. A counter not seen before is not bought from in advance. */
function wantedUnits({ perMs, left, counted }: Lease, limit: number, policy: LeasePolicy): number {
  if (counted === undefined) return 0;
  const most = mostUnits(limit - (counted.units - left), policy);
  const units = Math.min(Math.floor(perMs * LIVES_MS), most) - left;
  return units < policy.minUnits ? 0 : units;
}

function mostUnits(remaining: number, { maxUnits, partOfRemaining }: LeasePolicy): number {
  return Math.min(maxUnits, Math.floor(Math.max(0, remaining) * partOfRemaining));
}

function isSameCounter(
  known: Count | undefined,
  { expiresAtMs }: Pick<Count, 'expiresAtMs'>,
): known is Count {
  return known !== undefined && Math.abs(known.expiresAtMs - expiresAtMs) <= SAME_COUNTER_MS;
}
