import { CLOCK_TOLERANCE_MS, DAY_MS, MINUTE_MS, nextUtcDayMs, utcDay } from '../../lib/clock.js';

export const WINDOW_NAMES = ['minute', 'day'] as const;
export type WindowName = (typeof WINDOW_NAMES)[number];

const DAY_KEPT_LONGER_MS = 60 * MINUTE_MS;

export const WINDOW_SECONDS: Record<WindowName, number> = { minute: 60, day: 86_400 };

/** One window of a meter: its limit, and the epoch that selects its current counter. */
export interface WindowLimit {
  name: WindowName;
  limit: number;
  /** Incremented by a reset. The epoch is part of the counter's key, so a late refund goes to an unused counter. */
  epoch: number;
}

/** The windows that count a key's requests, each with a counter in the store. */
export interface Meter {
  /** The key's id. Counts belong to the key and survive rotation and plan changes. */
  id: string;
  windows: readonly WindowLimit[];
}

/** The state of a window. `resetAtMs` is undefined until the window starts. */
export interface WindowState {
  name: WindowName;
  limit: number;
  used: number;
  remaining: number;
  resetAtMs: number | undefined;
}

/** The braces are Redis Cluster's hash tag: all counters of a key are in one slot. */
export function counterKey(meterId: string, window: Omit<WindowLimit, 'limit'>, nowMs: number): string {
  const day = window.name === 'day' ? `:${utcDay(nowMs)}` : '';
  return `{${meterId}}:${window.name}:${window.epoch}${day}`;
}

/** The owner of the counters, and the epoch of each window since its last reset. */
export interface Counted {
  id: string;
  epochs: Readonly<Record<WindowName, number>>;
}

/** The counters that a key can have now, on any plan. Counters from before a reset expire within a day. */
export function counterKeysOf({ id, epochs }: Counted, nowMs: number): string[] {
  const keyAt = (name: WindowName, atMs: number) => counterKey(id, { name, epoch: epochs[name] }, atMs);
  return [keyAt('minute', nowMs), keyAt('day', nowMs), keyAt('day', nowMs - DAY_MS)];
}

/** How long a window that starts now lasts. A minute runs from its first request; a day is a UTC day. */
export function counterLifetimeMs(name: WindowName, nowMs: number): number {
  return name === 'minute' ? MINUTE_MS : nextUtcDayMs(nowMs) - nowMs;
}

/**
 * How long the store keeps a counter that starts now. A minute's counter expires with its window. A day's counter has
 * the day in its key and outlives it: a request sent before midnight that arrives after midnight uses its own day's
 * counter.
 */
export function keptForMs(name: WindowName, nowMs: number): number {
  return counterLifetimeMs(name, nowMs) + (name === 'day' ? DAY_KEPT_LONGER_MS : 0);
}

/**
 * Returns when the window of a counter ends. The store was asked at `askedAtMs`, and `nowMs` can be on the other side
 * of midnight. A minute that would end later than one that starts now was started by a process with a fast clock: it
 * ends within a minute (overlong-counters.ts).
 */
export function windowEndMs(
  name: WindowName,
  counterExpiresAtMs: number,
  { askedAtMs, nowMs }: { askedAtMs: number; nowMs: number },
): number {
  if (name === 'day') return nextUtcDayMs(askedAtMs);
  const isOverlong = counterExpiresAtMs - nowMs > MINUTE_MS + CLOCK_TOLERANCE_MS;
  return isOverlong ? nowMs + MINUTE_MS : counterExpiresAtMs;
}

export function unbegun({ name, limit }: Pick<WindowLimit, 'name' | 'limit'>): WindowState {
  return { name, limit, used: 0, remaining: limit, resetAtMs: undefined };
}

/**
 * The effective window in X-RateLimit-* headers: the one with the fewest remaining requests; on a tie, the later reset.
 */
export function tightest(windows: readonly WindowState[]): WindowState | undefined {
  return windows.reduce<WindowState | undefined>((best, next) => {
    if (best === undefined || next.remaining < best.remaining) return next;
    return next.remaining === best.remaining && laterReset(next, best) ? next : best;
  }, undefined);
}

/** The window to report in a rejection: of the rejecting windows, the one that resets last. */
export function lastToReset(windows: readonly WindowState[]): WindowState | undefined {
  return windows.reduce<WindowState | undefined>(
    (best, next) => (best === undefined || laterReset(next, best) ? next : best),
    undefined,
  );
}

function laterReset(a: WindowState, b: WindowState): boolean {
  return (a.resetAtMs ?? Infinity) > (b.resetAtMs ?? Infinity);
}
