/**
 * Moves Date, and Date alone: for us, for rate-limiter-flexible, and for nothing that waits. Times lie in the future,
 * because MongoDB sweeps by its own clock what expired long ago.
 */
export const NOON = Date.parse('2029-06-15T12:00:00.000Z');
export const MIDNIGHT = Date.parse('2029-06-16T00:00:00.000Z');

export function freezeDate(nowMs = NOON): void {
  jest.useFakeTimers({
    now: nowMs,
    doNotFake: [
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setInterval',
      'clearInterval',
      'setTimeout',
      'clearTimeout',
    ],
  });
}

export function moveDateTo(nowMs: number): void {
  jest.setSystemTime(nowMs);
}

export function moveDateBy(ms: number): void {
  jest.setSystemTime(Date.now() + ms);
}

export function releaseDate(): void {
  jest.useRealTimers();
}
