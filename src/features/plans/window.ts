import { DAY_MS, MINUTE_MS } from '../../lib/clock.js';

/** How long a window lasts, and when it starts. */
export interface WindowRule {
  lengthMs: number;
  /** Whether it starts at the multiples of its length, in UTC; otherwise it starts with its first request. */
  isAligned: boolean;
  /** Its short name in the stores: one letter, and another one for each window. */
  field: string;
}

/** All kinds of windows, the shortest first. Both stores, and what a process counts itself, go by these rules alone. */
export const WINDOWS = {
  minute: { lengthMs: MINUTE_MS, isAligned: false, field: 'm' },
  day: { lengthMs: DAY_MS, isAligned: true, field: 'd' },
} as const satisfies Record<string, WindowRule>;
export type WindowName = keyof typeof WINDOWS;
export type WindowField = (typeof WINDOWS)[WindowName]['field'];
export const WINDOW_NAMES = Object.keys(WINDOWS) as WindowName[];
export const LONGEST_WINDOW: WindowRule = Object.values(WINDOWS).reduce((longest, next) =>
  next.lengthMs > longest.lengthMs ? next : longest,
);

/** One window of a meter: its limit, and the epoch that selects its current counter. */
export interface WindowLimit {
  name: WindowName;
  limit: number;
  /** Incremented by a reset, which starts a new window. */
  epoch: number;
}

/** The windows that count a key's requests. */
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

export function windowState(
  { name, limit }: Pick<WindowLimit, 'name' | 'limit'>,
  used: number,
  resetAtMs: number | undefined,
): WindowState {
  return { name, limit, used, remaining: Math.max(0, limit - used), resetAtMs };
}

/** The owner of the counts, and the epoch of each window since its last reset. */
export interface Counted {
  id: string;
  epochs: Readonly<Record<WindowName, number>>;
}

/** The epochs of a key whose windows were never reset. */
export const NO_RESETS = Object.fromEntries(WINDOW_NAMES.map((name) => [name, 0])) as Counted['epochs'];

/** How long a window that starts now lasts. */
export function wholeWindowMs(name: WindowName, nowMs: number): number {
  const { lengthMs, isAligned } = WINDOWS[name];
  return isAligned ? lengthMs - (nowMs % lengthMs) : lengthMs;
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
