import type { RejectedDecision } from '../../../src/features/limiter/limiter.js';
import { createStrikes, type Strikes } from '../../../src/features/quotas/strikes.js';

const KEY = 'key_a';
const START = 1_000_000;

let nowMs: number;
let strikes: Strikes;

beforeEach(() => {
  nowMs = START;
  strikes = createStrikes(() => nowMs);
});

/** A refusal with so much left of the minute. */
function refusal(retryAfterMs: number, remaining = 0): RejectedDecision {
  return {
    admitted: false,
    windows: [
      { name: 'minute', limit: 60, used: 60 - remaining, remaining, resetAtMs: nowMs + retryAfterMs },
      { name: 'day', limit: 1000, used: 60, remaining: 940, resetAtMs: undefined },
    ],
    refusedBy: ['minute'],
    retryAfterMs,
  };
}

/** Rejects at these times after the start, always with a wait until 60 s after it. @returns which ones were early */
function earlyAt(...offsetsMs: number[]): number[] {
  return offsetsMs.filter((offsetMs) => {
    nowMs = START + offsetMs;
    return strikes.observe(KEY, refusal(60_000 - offsetMs));
  });
}

describe('a rejected request is an early retry', () => {
  test('not if it is the first rejection: the client did not know of a wait', () => {
    expect(earlyAt(0)).toEqual([]);
  });

  test('not within a second of the first 429, which is still on its way', () => {
    expect(earlyAt(0, 1, 500, 1000)).toEqual([]);
  });

  test('once it comes more than a second after a 429 and before its Retry-After has passed', () => {
    expect(earlyAt(0, 1001)).toEqual([1001]);
    expect(earlyAt(59_999)).toEqual([59_999]);
  });

  test('not after Retry-After has passed: then a new wait starts', () => {
    expect(earlyAt(0)).toEqual([]);
    nowMs = START + 60_000;
    expect(strikes.observe(KEY, refusal(60_000))).toBe(false);
    nowMs += 1000;
    expect(strikes.observe(KEY, refusal(59_000))).toBe(false);
    nowMs += 1;
    expect(strikes.observe(KEY, refusal(58_999))).toBe(true);
  });

  test('also if the clock was an hour ahead at the 429', () => {
    nowMs = START + 3_600_000;
    strikes.observe(KEY, refusal(60_000));
    expect(earlyAt(0, 1001)).toEqual([1001]);
  });

  test('at most once in each second of the clock, as the store counts them', () => {
    expect(earlyAt(0, 1001, 1002, 1500, 1999, 2000, 2001, 2999, 3000)).toEqual([1001, 2000, 3000]);
  });

  test('in each second, however the requests fall into it', () => {
    expect(earlyAt(0, 1100, 2000, 2900, 3800, 4700, 5600)).toEqual([1100, 2000, 3800, 4700, 5600]);
  });

  test('not when a cheaper request would pass', () => {
    expect(earlyAt(0)).toEqual([]);
    nowMs = START + 5000;
    expect(strikes.observe(KEY, refusal(55_000, 1))).toBe(false);
    expect(strikes.observe(KEY, refusal(55_000, 0))).toBe(true);
  });

  test('not because of a rejection of another key', () => {
    expect(earlyAt(0)).toEqual([]);
    nowMs = START + 5000;
    expect(strikes.observe('key_b', refusal(55_000))).toBe(false);
  });
});

describe('the strikes that a response tells', () => {
  beforeEach(() => void earlyAt(0, 1001));

  test('are those that the store counted last', () => {
    expect(strikes.current(KEY)).toBe(0);
    strikes.note(KEY, 3);
    expect(strikes.current(KEY)).toBe(3);
    expect(strikes.current('key_b')).toBe(0);
  });

  test('are none after the client has paused, nor in the next wait', () => {
    strikes.note(KEY, 3);
    nowMs += 5000;
    expect(strikes.current(KEY)).toBe(3);
    nowMs += 1;
    expect(strikes.current(KEY)).toBe(0);
    strikes.note(KEY, 4);
    nowMs = START + 60_000;
    strikes.observe(KEY, refusal(60_000));
    expect(strikes.current(KEY)).toBe(0);
  });
});
