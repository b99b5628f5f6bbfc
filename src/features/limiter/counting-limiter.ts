import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import type { Clock } from '../../lib/clock.js';
import { currentTrace, inTraceOf, type Traced } from '../../lib/trace-context.js';
import type { Count, Counters } from './counters.js';
import { QuotaStoreError, type Decision, type Limiter } from './limiter.js';
import {
  counterKey,
  keptForMs,
  unbegun,
  windowEndMs,
  type Meter,
  type WindowLimit,
  type WindowState,
} from '../plans/window.js';

type Refusal = Decision & { admitted: false };

/** Bounds the memory of gates; a gate that is dropped costs a store call, never an admission too many. */
const MAX_GATES = 50_000;
/** How often, and after how long, a count above its limit is looked at again before it is believed. */
const OVERSHOOT_LOOKS = 3;
const OVERSHOOT_WAIT_MS = 15;
/** How often a request that lost against another process's passing sum asks again. */
const MAX_TRIES = 10;
const FIRST_TRUST_MS = 1000;

interface Waiting extends Traced {
  cost: number;
  tries: number;
  givenUp: { readonly aborted: boolean } | undefined;
  resolve: (decision: Decision) => void;
  reject: (error: unknown) => void;
}

/** What this process knows of one meter. */
interface Gate {
  meter: Meter;
  waiting: Waiting[];
  busy: boolean;
  windows: readonly WindowState[];
  /** From when and until when `windows` is believed for a refusal without asking the store. */
  trustedFromMs: number;
  trustedUntilMs: number;
  trustMs: number;
}

/** A window's counter as the store told it. */
interface Counted {
  key: string;
  window: WindowLimit;
  count: Count;
  endsAtMs: number;
}

/**
 * The limiter over shared counters. Requests of one key pass one gate at a time, those that wait together go to
 * the store as one sum:
 *
 * 1. Add the sum to both windows. The counter's answer says what was used before, so exactly what fits is
 *    admitted, first come first served, and the rest is given back to both windows. Whoever comes in between sees
 *    a counter that stands too high, never one too low: no race admits one too many.
 * 2. Who was refused may have lost against another process's sum that is on its way back. So the counters are looked
 *    at once more after our own give-back: a count above its limit is waited for, and who fits now tries again. Of
 *    processes that got in each other's way the last one to look sees none of their sums: nothing stays unused.
 * 3. What was refused is remembered, so that hammering does not reach the store. The memory is checked against
 *    the store at growing intervals, because other processes give back.
 */
export function createCountingLimiter(counters: Counters, clock: Clock): Limiter {
  const gates = new LRUCache<string, Gate>(atMost(MAX_GATES));
  /** A caller's meter stays the same object while its key is cached: its name need not be spelled each time. */
  const gateOfMeter = new WeakMap<Meter, Gate>();

  function gateOf(meter: Meter): Gate {
    const known = gateOfMeter.get(meter);
    if (known !== undefined) return known;
    const gate = gateNamedAfter(meter);
    gateOfMeter.set(meter, gate);
    return gate;
  }

  function gateNamedAfter(meter: Meter): Gate {
    const id = `${meter.id} ${meter.windows.map((w) => `${w.name}:${w.epoch}:${w.limit}`).join(' ')}`;
    let gate = gates.get(id);
    if (gate === undefined) {
      gate = {
        meter,
        waiting: [],
        busy: false,
        windows: [],
        trustedFromMs: 0,
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
        await inTraceOf(group, settle, gate);
      } catch (error) {
        // Who waits behind a store that failed would only wait for it to fail again.
        for (const waiting of [...group, ...gate.waiting.splice(0)]) waiting.reject(error);
      }
    }
    gate.busy = false;
  }

  async function settle(group: readonly Waiting[], gate: Gate): Promise<void> {
    const asking = group.filter((waiting) => {
      if (isGivenUp(waiting)) return false;
      const refusal = refusalFromMemory(gate, waiting.cost, clock());
      if (refusal !== undefined) waiting.resolve(refusal);
      return refusal === undefined;
    });
    if (asking.length === 0) return;

    const sum = asking.reduce((total, waiting) => total + waiting.cost, 0);
    const counted = await addToAll(gate.meter, sum);
    const free = Math.min(...counted.map(({ window, count }) => window.limit - (count.units - sum)));
    let admittedUnits = 0;
    const admitted: Waiting[] = [];
    const refused: Waiting[] = [];
    for (const waiting of asking) {
      if (isGivenUp(waiting)) continue;
      if (admittedUnits + waiting.cost <= free) {
        admittedUnits += waiting.cost;
        admitted.push(waiting);
      } else refused.push(waiting);
    }

    const unused = sum - admittedUnits;
    const windows = counted.map(({ window, count, endsAtMs }) =>
      stateOf(window, count.units - unused, endsAtMs),
    );
    for (const waiting of admitted) waiting.resolve({ admitted: true, windows });
    if (admitted.length > 0) gate.trustMs = 0;
    if (unused > 0) await Promise.all(counted.map((window) => refund(window, unused)));
    if (refused.length === 0) gate.windows = windows;
    else await refuse(gate, refused, windows);
  }

  /** Called once nothing of a refused request is on a counter. `windows`: as they were when it was refused. */
  async function refuse(
    gate: Gate,
    refused: readonly Waiting[],
    windows: readonly WindowState[],
  ): Promise<void> {
    const now = await settledWindows(gate.meter);
    const again = refused.filter(({ cost, tries }) => tries < MAX_TRIES && fits(now, cost));
    const done = refused.filter((waiting) => !again.includes(waiting));
    for (const waiting of again) waiting.tries += 1;

    gate.windows = now;
    if (again.length === 0) trust(gate);
    for (const { cost, resolve } of done) resolve(refusal(fits(now, cost) ? windows : now, cost, clock()));
    if (again.length === 0) return;
    // Of random length: processes that try again in step would get in each other's way again.
    await sleep(Math.random() * OVERSHOOT_WAIT_MS);
    gate.waiting.unshift(...again);
  }

  /** Adds to every window or, when one store call fails, to none. */
  async function addToAll(meter: Meter, sum: number): Promise<Counted[]> {
    const askedAtMs = clock();
    const smallest = smallestLimit(meter);
    const outcomes = await Promise.allSettled(
      meter.windows.map(async (window): Promise<Counted> => {
        const key = counterKey(meter.id, window, askedAtMs);
        const lifetimeMs = keptForMs(window.name, askedAtMs);
        const count = await counters.add(key, window.limit, sum, lifetimeMs, smallest);
        const endsAtMs = windowEndMs(window.name, count.expiresAtMs, { askedAtMs, nowMs: clock() });
        return { key, window, count, endsAtMs };
      }),
    );
    const done = outcomes.flatMap((o) => (o.status === 'fulfilled' ? [o.value] : []));
    const failed = outcomes.find((o) => o.status === 'rejected');
    if (failed !== undefined) {
      await Promise.all(done.map((window) => refund(window, sum)));
      throw failed.reason;
    }
    return done;
  }

  async function refund({ key, count }: Counted, units: number): Promise<void> {
    // Whether a give-back that failed was done is unknown. If not, the counter stands too high until its window
    // ends: it refuses more than it should. Believing it undone could admit too many.
    await counters.refund(key, units, count.expiresAtMs).catch(() => undefined);
  }

  /** The windows without what other processes are about to give back, unless they take long. */
  async function settledWindows(meter: Meter): Promise<readonly WindowState[]> {
    for (let look = 1; ; look++) {
      const counted = (await read([meter]))[0] ?? [];
      const overshot = counted.some(({ window, count }) => count !== undefined && count.units > window.limit);
      if (!overshot || look === OVERSHOOT_LOOKS) return counted.map(toState);
      await sleep(OVERSHOOT_WAIT_MS);
    }
  }

  /** However long, a window that ends meanwhile is no longer believed: see refusalFromMemory. */
  function trust(gate: Gate): void {
    gate.trustMs = gate.trustMs === 0 ? FIRST_TRUST_MS : gate.trustMs * 2;
    gate.trustedFromMs = clock();
    gate.trustedUntilMs = gate.trustedFromMs + gate.trustMs;
  }

  async function read(meters: readonly Meter[]): Promise<Looked[][]> {
    const askedAtMs = clock();
    const asked = meters.flatMap((meter) => meter.windows.map((window) => ({ meter, window })));
    const counts = await counters.getMany(
      asked.map(({ meter, window }) => counterKey(meter.id, window, askedAtMs)),
    );
    const at = { askedAtMs, nowMs: clock() };
    const looked = asked.map(({ window }, i): Looked => ({ window, count: counts[i], at }));
    return meters.map((meter) => looked.splice(0, meter.windows.length));
  }

  const peekMany: Limiter['peekMany'] = async (meters) =>
    (await read(meters)).map((looked) => looked.map(toState));

  return {
    charge: (meter, cost, givenUp) =>
      new Promise((resolve, reject) => {
        const gate = gateOf(meter);
        gate.waiting.push({ cost, tries: 0, givenUp, resolve, reject, trace: currentTrace() });
        if (!gate.busy) void drain(gate);
      }),
    remembered: (meter, cost) => refusalFromMemory(gateOf(meter), cost, clock()),
    async foresee(meter, cost) {
      const gate = gateOf(meter);
      const remembered = refusalFromMemory(gate, cost, clock());
      if (remembered !== undefined) return remembered;
      const now = await settledWindows(meter);
      if (fits(now, cost)) return undefined;
      // While charges are under way they tell more than this look did.
      if (!gate.busy) {
        gate.windows = now;
        trust(gate);
      }
      return refusal(now, cost, clock());
    },
    peek: async (meter) => (await peekMany([meter]))[0] ?? [],
    peekMany,
  };
}

/** Nobody listens any more: it is neither admitted nor refused, and its units are given back. */
function isGivenUp({ givenUp, reject }: Waiting): boolean {
  if (givenUp?.aborted !== true) return false;
  reject(new QuotaStoreError(new Error('given up while it waited')));
  return true;
}

interface Looked {
  window: WindowLimit;
  count: Count | undefined;
  at: { askedAtMs: number; nowMs: number };
}

function toState({ window, count, at }: Looked): WindowState {
  return count === undefined
    ? unbegun(window)
    : stateOf(window, count.units, windowEndMs(window.name, count.expiresAtMs, at));
}

/** The longest run of waiting requests whose sum a window could hold: a larger sum would only be given back. */
function takeGroup(gate: Gate): Waiting[] {
  const most = smallestLimit(gate.meter);
  let sum = gate.waiting[0]?.cost ?? 0;
  let size = 1;
  for (; size < gate.waiting.length; size++) {
    sum += gate.waiting[size]?.cost ?? 0;
    if (sum > most) break;
  }
  return gate.waiting.splice(0, size);
}

function smallestLimit({ windows }: Meter): number {
  return Math.min(...windows.map(({ limit }) => limit));
}

function refusalFromMemory(gate: Gate, cost: number, nowMs: number): Refusal | undefined {
  // Before: the clock was set back since.
  if (nowMs < gate.trustedFromMs || nowMs >= gate.trustedUntilMs) return undefined;
  // One window may have ended while the other still refuses.
  const windows = gate.windows.map((window) => (hasEnded(window, nowMs) ? unbegun(window) : window));
  return fits(windows, cost) ? undefined : refusal(windows, cost, nowMs);
}

function hasEnded({ resetAtMs }: WindowState, nowMs: number): boolean {
  return resetAtMs !== undefined && resetAtMs <= nowMs;
}

function fits(windows: readonly WindowState[], cost: number): boolean {
  return windows.every((window) => cost <= window.remaining);
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

/**
 * `used` is above the limit after a downgrade, and for the moment until the units of a rejected request are refunded.
 */
function stateOf({ name, limit }: WindowLimit, units: number, resetAtMs: number): WindowState {
  const used = Math.max(units, 0);
  return { name, limit, used, remaining: Math.max(0, limit - used), resetAtMs };
}
