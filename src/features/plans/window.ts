import { CLOCK_TOLERANCE_MS, DAY_MS, MINUTE_MS, nextUtcDayMs, utcDay } from '../../lib/clock.js';

export const WINDOW_NAMES = ['minute', 'day'] as const;
export type WindowName = (typeof WINDOW_NAMES)[number];

const DAY_KEPT_LONGER_MS = 60 * MINUTE_MS;

export const WINDOW_SECONDS: Record<WindowName, number> = { minute: 60, day: 86_400 };

/** One window of one meter: what may pass, and which counter is the live one. */
export interface WindowLimit {
  name: WindowName;
  limit: number;
  /** Raised by a reset. It is part of the counter's key, so a late give-back meets a dead counter. */
  epoch: number;
}

/** What a key's requests are counted on: its windows, each with a counter in the store. */
export interface Meter {
  /** The key's id: counts belong to a key and survive rotation and plan changes. */
  id: string;
  windows: readonly WindowLimit[];
}

/** A window as it stands. `resetAtMs` is undefined while it has not begun. */
export interface WindowState {
  name: WindowName;
  limit: number;
  used: number;
  remaining: number;
  resetAtMs: number | undefined;
}

/** The braces are Redis Cluster's hash tag: all counters of one key live in one slot. */
export function counterKey(meterId: string, window: Omit<WindowLimit, 'limit'>, nowMs: number): string {
  const day = window.name === 'day' ? `:${utcDay(nowMs)}` : '';
  return `{${meterId}}:${window.name}:${window.epoch}${day}`;
}

/** Who is counted, and where the counters of each window are since the last reset. */
export interface Counted {
  id: string;
  epochs: Readonly<Record<WindowName, number>>;
}

/** The counters that a key may have now, whatever its plan. Those from before a reset end within a day. */
export function counterKeysOf({ id, epochs }: Counted, nowMs: number): string[] {
  const keyAt = (name: WindowName, atMs: number) => counterKey(id, { name, epoch: epochs[name] }, atMs);
  return [keyAt('minute', nowMs), keyAt('day', nowMs), keyAt('day', nowMs - DAY_MS)];
}

/** How long a window begun now lasts: the minute runs from its first request, the day is UTC's. */
export function counterLifetimeMs(name: WindowName, nowMs: number): number {
  return name === 'minute' ? MINUTE_MS : nextUtcDayMs(nowMs) - nowMs;
}

/**
 * How long the store keeps a counter begun now. A minute's counter ends with its window. A day's has its day in its
 * key, so it outlives the day: what was sent before midnight and arrives after it meets the counter of its own day.
 */
export function keptForMs(name: WindowName, nowMs: number): number {
  return counterLifetimeMs(name, nowMs) + (name === 'day' ? DAY_KEPT_LONGER_MS : 0);
}

/**
 * When the window of a counter ends, for who asked for it then and has it now: the two may lie on either side of
 * midnight. A minute that would end later than one that begins now was begun by a clock that was ahead: it ends within
 * a minute (overlong-counters.ts).
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

/** The window that speaks for the key in X-RateLimit-*: the fewest requests left, on a tie the later reset. */
export function tightest(windows: readonly WindowState[]): WindowState | undefined {
  return windows.reduce<WindowState | undefined>((best, next) => {
    if (best === undefined || next.remaining < best.remaining) return next;
    return next.remaining === best.remaining && laterReset(next, best) ? next : best;
  }, undefined);
}

/** The window that a refusal is told by: of those that refused, the one that resets last. */
export function lastToReset(windows: readonly WindowState[]): WindowState | undefined {
  return windows.reduce<WindowState | undefined>(
    (best, next) => (best === undefined || laterReset(next, best) ? next : best),
    undefined,
  );
}

function laterReset(a: WindowState, b: WindowState): boolean {
  return (a.resetAtMs ?? Infinity) > (b.resetAtMs ?? Infinity);
}
