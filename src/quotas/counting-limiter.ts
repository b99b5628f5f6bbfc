import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.js';
import type { Counters } from './counters.js';
import type { Decision, Limiter } from './limiter.js';
import {
  counterKey,
  counterLifetimeMs,
  unbegun,
  type Meter,
  type WindowLimit,
  type WindowState,
} from './window.js';

type Refusal = Decision & { admitted: false };

/** Bounds the memory of gates; a gate that is dropped costs a store call, never an admission too many. */
const MAX_GATES = 50_000;
/**
 * No give-back this close to a window's end: one that arrives late would make a fresh counter below zero,
 * which then admits too many. The units lapse instead.
 */
const NO_GIVE_BACK_MS = 2000;
const OVERSHOOT_WAIT_MS = 15;
const OVERSHOOT_TRIES = 3;
const FIRST_TRUST_MS = 1000;

interface Waiting {
  cost: number;
  tries: number;
  resolve: (decision: Decision) => void;
  reject: (error: unknown) => void;
}

/** Units that this process added to a counter, was refused, and could not give back: no admission, so not counted. */
interface Lapsed {
  resetAtMs: number;
  units: number;
}

/** What this process knows of one meter. */
interface Gate {
  meter: Meter;
  waiting: Waiting[];
  busy: boolean;
  windows: readonly WindowState[];
  lapsed: Map<string, Lapsed>;
  /** Until when `windows` is believed for a refusal without asking the store. */
  trustedUntilMs: number;
  trustMs: number;
}

/**
 * The limiter over shared counters. Requests of one key pass one gate at a time, those that wait together go to
 * the store as one sum:
 *
 * 1. Add the sum to both windows. The counter's answer says what was used before, so exactly what fits is
 *    admitted, first come first served, and the rest is given back to both windows. Whoever comes in between sees
 *    a counter that stands too high, never one too low: no race admits one too many.
 * 2. A count above the limit before our own sum is another process's sum on its way back: wait for it, try again.
 * 3. What was refused is remembered, so that hammering does not reach the store. The memory is checked against
 *    the store at growing intervals, because other processes give back.
 */
export function createCountingLimiter(counters: Counters, clock: Clock): Limiter {
  const gates = new LRUCache<string, Gate>({ max: MAX_GATES });

  function gateOf(meter: Meter): Gate {
    const id = `${meter.id} ${meter.windows.map((w) => `${w.name}:${w.epoch}:${w.limit}`).join(' ')}`;
    let gate = gates.get(id);
    if (gate === undefined) {
      gate = {
        meter,
        waiting: [],
        busy: false,
        windows: [],
        lapsed: new Map(),
        trustedUntilMs: 0,
        trustMs: 0,
      };
      gates.set(id, gate);
    }
    return gate;
  }

  async function drain(gate: Gate): Promise<void> {
    gate.busy = true;
    while (gate.waiting.length > 0) {
      const group = takeGroup(gate);
      try {
        await settle(gate, group);
      } catch (error) {
        for (const waiting of group) waiting.reject(error);
      }
    }
    gate.busy = false;
  }

  async function settle(gate: Gate, group: readonly Waiting[]): Promise<void> {
    const asking = group.filter((waiting) => {
      const refusal = refusalFromMemory(gate, waiting.cost, clock());
      if (refusal !== undefined) waiting.resolve(refusal);
      return refusal === undefined;
    });
    if (asking.length === 0) return;

    const sum = asking.reduce((total, waiting) => total + waiting.cost, 0);
    const charged = await addToAll(gate, sum);
    const usedBefore = charged.map(({ units, lapsed }) => units - sum - lapsed);
    const free = Math.min(...charged.map(({ window }, i) => window.limit - (usedBefore[i] ?? 0)));

    let admittedUnits = 0;
    const admitted: Waiting[] = [];
    const refused: Waiting[] = [];
    for (const waiting of asking) {
      if (admittedUnits + waiting.cost <= free) {
        admittedUnits += waiting.cost;
        admitted.push(waiting);
      } else refused.push(waiting);
    }

    gate.windows = charged.map(({ window, resetAtMs }, i) =>
      stateOf(window, (usedBefore[i] ?? 0) + admittedUnits, resetAtMs),
    );
    for (const waiting of admitted) waiting.resolve({ admitted: true, windows: gate.windows });
    if (refused.length === 0) {
      gate.trustMs = 0;
      return;
    }

    const overshoot = charged.some(({ window }, i) => (usedBefore[i] ?? 0) > window.limit);
    const again = overshoot ? refused.filter((waiting) => ++waiting.tries < OVERSHOOT_TRIES) : [];
    if (again.length === 0) trust(gate, refused);
    await Promise.all(charged.map((window) => giveBack(gate, window, sum - admittedUnits)));
    // Only now, so that whoever was refused can see that it cost nothing.
    for (const waiting of refused)
      if (!again.includes(waiting)) waiting.resolve(refusal(gate.windows, waiting.cost, clock()));
    if (again.length > 0) {
      await sleep(OVERSHOOT_WAIT_MS);
      gate.waiting.unshift(...again);
    }
  }

  /** Adds to every window or, when one store call fails, to none. */
  async function addToAll(gate: Gate, sum: number): Promise<Charged[]> {
    const nowMs = clock();
    const outcomes = await Promise.allSettled(
      gate.meter.windows.map(async (window): Promise<Charged> => {
        const key = counterKey(gate.meter.id, window, nowMs);
        const count = await counters.add(key, window.limit, sum, counterLifetimeMs(window.name, nowMs));
        const lapsed = gate.lapsed.get(key);
        // The same counter, not the next one under the same key: its end is where it was.
        const same = lapsed !== undefined && Math.abs(lapsed.resetAtMs - count.resetAtMs) < NO_GIVE_BACK_MS;
        if (lapsed !== undefined && !same) gate.lapsed.delete(key);
        return { key, window, ...count, lapsed: same ? lapsed.units : 0 };
      }),
    );
    const done = outcomes.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []));
    const failed = outcomes.find((o) => o.status === 'rejected');
    if (failed !== undefined) {
      await Promise.all(done.map((window) => giveBack(gate, window, sum)));
      throw failed.reason;
    }
    return done;
  }

  async function giveBack(gate: Gate, { key, window, resetAtMs }: Charged, units: number): Promise<void> {
    if (units === 0) return;
    const leftMs = resetAtMs - clock();
    if (leftMs > NO_GIVE_BACK_MS) {
      try {
        await counters.giveBack(key, window.limit, units, leftMs);
        return;
      } catch {
        // The counter stands too high until its window ends: it refuses more than it should, admits no more.
      }
    }
    const before = gate.lapsed.get(key);
    const same = before !== undefined && Math.abs(before.resetAtMs - resetAtMs) < NO_GIVE_BACK_MS;
    for (const [old, lapsed] of gate.lapsed) if (lapsed.resetAtMs <= clock()) gate.lapsed.delete(old);
    gate.lapsed.set(key, { resetAtMs, units: units + (same ? before.units : 0) });
  }

  function trust(gate: Gate, refused: readonly Waiting[]): void {
    const nowMs = clock();
    const cheapest = Math.min(...refused.map((waiting) => waiting.cost));
    const { retryAfterMs } = refusal(gate.windows, cheapest, nowMs);
    gate.trustMs = gate.trustMs === 0 ? FIRST_TRUST_MS : gate.trustMs * 2;
    gate.trustedUntilMs = nowMs + Math.min(gate.trustMs, retryAfterMs);
  }

  async function peekMany(meters: readonly Meter[]): Promise<(readonly WindowState[])[]> {
    const nowMs = clock();
    const asked = meters.flatMap((meter) => meter.windows.map((window) => ({ meter, window })));
    const counts = await counters.getMany(
      asked.map(({ meter, window }) => counterKey(meter.id, window, nowMs)),
    );
    const states = asked.map(({ window }, i) => {
      const count = counts[i];
      return count === undefined ? unbegun(window) : stateOf(window, count.units, count.resetAtMs);
    });
    return meters.map((meter) => states.splice(0, meter.windows.length));
  }

  return {
    charge: (meter, cost) =>
      new Promise((resolve, reject) => {
        const gate = gateOf(meter);
        gate.waiting.push({ cost, tries: 0, resolve, reject });
        if (!gate.busy) void drain(gate);
      }),
    remembered: (meter, cost) => refusalFromMemory(gateOf(meter), cost, clock()),
    peek: async (meter) => (await peekMany([meter]))[0] ?? [],
    peekMany,
  };
}

interface Charged {
  key: string;
  window: WindowLimit;
  units: number;
  resetAtMs: number;
  lapsed: number;
}

/** The longest run of waiting requests whose sum a window could hold: a larger sum would only be given back. */
function takeGroup(gate: Gate): Waiting[] {
  const most = Math.min(...gate.meter.windows.map((window) => window.limit));
  let sum = gate.waiting[0]?.cost ?? 0;
  let size = 1;
  for (; size < gate.waiting.length; size++) {
    sum += gate.waiting[size]?.cost ?? 0;
    if (sum > most) break;
  }
  return gate.waiting.splice(0, size);
}

function refusalFromMemory(gate: Gate, cost: number, nowMs: number): Refusal | undefined {
  if (nowMs >= gate.trustedUntilMs || !gate.windows.some((w) => isRefusing(w, cost, nowMs))) return undefined;
  return refusal(gate.windows, cost, nowMs);
}

function isRefusing(window: WindowState, cost: number, nowMs: number): boolean {
  return cost > window.remaining && (window.resetAtMs ?? 0) > nowMs;
}

function refusal(windows: readonly WindowState[], cost: number, nowMs: number): Refusal {
  const refusing = windows.filter((window) => cost > window.remaining);
  const resets = refusing.map((window) => (window.resetAtMs ?? nowMs) - nowMs);
  return {
    admitted: false,
    windows,
    refusedBy: refusing.map((window) => window.name),
    retryAfterMs: Math.max(0, ...resets),
  };
}

/** Counts stand above the limit for the moment until a refused sum is given back: nobody is told so. */
function stateOf({ name, limit }: WindowLimit, units: number, resetAtMs: number): WindowState {
  const used = Math.min(Math.max(units, 0), limit);
  return { name, limit, used, remaining: limit - used, resetAtMs };
}
