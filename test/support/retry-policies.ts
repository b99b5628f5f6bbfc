/** How one client behaves: simulated, or in real time. All times are in seconds. */
export interface RetryPolicy {
  /** When its first request comes, from the start. */
  startsAfter?: number;
  /** Returns the pause before the next request. `retryAfter` is that of a 429, undefined after an admitted request. */
  next: (retryAfter: number | undefined) => number;
}

/** A loop that ignores every response. */
export const every = (seconds: number): RetryPolicy => ({ next: () => seconds });

/** Waits for the Retry-After that it received. */
export const obeys = (startsAfter = 0, pauseSeconds = 0.05): RetryPolicy => ({
  startsAfter,
  next: (retryAfter) => retryAfter ?? pauseSeconds,
});

export interface Backoff {
  firstSeconds?: number;
  factor?: number;
  capSeconds?: number;
  /** Full jitter: each pause is this part of the backoff. Without it, all of it. */
  random?: () => number;
}

/** Ignores Retry-After and waits longer after each 429 in a row, until a request is admitted. */
export function backsOff({
  firstSeconds = 1,
  factor = 2,
  capSeconds = Infinity,
  random = () => 1,
}: Backoff): RetryPolicy {
  let refused = 0;
  return {
    next(retryAfter) {
      if (retryAfter === undefined) {
        refused = 0;
        return 0.05;
      }
      const backoff = Math.min(capSeconds, firstSeconds * factor ** refused);
      refused += 1;
      return random() * backoff;
    },
  };
}

/** Numbers from 0 to 1, the same for each seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
