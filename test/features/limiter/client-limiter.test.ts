import { createClientLimiter, type ClientLimiter } from '../../../src/features/limiter/client-limiter.js';
import { NOON } from '../../support/fake-date.js';

const LIMIT = 5;
const MINUTE_MS = 60_000;

let nowMs: number;
let limiter: ClientLimiter;
beforeEach(() => {
  nowMs = NOON;
  limiter = createClientLimiter(LIMIT, () => nowMs);
});

const admitted = (cost?: number, client = 'a') => limiter.charge(client, cost).admitted;

test('admits exactly the limit in a minute, which starts with the first request', () => {
  expect(limiter.charge('a')).toEqual({
    admitted: true,
    limit: LIMIT,
    remaining: 4,
    resetAtMs: NOON + MINUTE_MS,
  });
  nowMs += MINUTE_MS - 1;
  expect([1, 2, 3, 4, 5].map(() => admitted())).toEqual([true, true, true, true, false]);
  expect(limiter.peek('a')).toEqual({ limit: LIMIT, remaining: 0, resetAtMs: NOON + MINUTE_MS });
  nowMs += 1;
  expect(limiter.charge('a')).toMatchObject({ admitted: true, resetAtMs: nowMs + MINUTE_MS });
});

test('a rejection costs nothing: a cheaper request still passes', () => {
  expect([3, 3, 2, 1].map((cost) => admitted(cost))).toEqual([true, false, true, false]);
});

test('each client has a limit of its own', () => {
  expect([admitted(5), admitted(1), admitted(5, 'b')]).toEqual([true, false, true]);
});

test('a look starts no minute and costs nothing', () => {
  expect(limiter.peek('a')).toEqual({ limit: LIMIT, remaining: LIMIT, resetAtMs: NOON + MINUTE_MS });
  nowMs += 1000;
  expect(limiter.peek('a').resetAtMs).toBe(nowMs + MINUTE_MS);
});

describe('a refund', () => {
  test('can be spent again', () => {
    limiter.charge('a', 5);
    limiter.refund('a', 2);
    expect([admitted(2), admitted(1)]).toEqual([true, false]);
  });

  test('never exceeds the limit', () => {
    limiter.charge('a', 1);
    limiter.refund('a', 3);
    expect(limiter.peek('a').remaining).toBe(LIMIT);
    expect(admitted(LIMIT + 1)).toBe(false);
    expect([admitted(LIMIT), admitted(1)]).toEqual([true, false]);
  });

  test('after the end of its minute does not affect the next', () => {
    limiter.charge('a', 5);
    nowMs += MINUTE_MS;
    limiter.refund('a', 5);
    limiter.charge('a', 4);
    expect(limiter.peek('a').remaining).toBe(1);
  });
});

describe('what another process admitted', () => {
  test('counts here as well, even past the limit', () => {
    limiter.count('a', 4);
    expect([admitted(2), admitted(1)]).toEqual([false, true]);
    limiter.count('a', 4);
    expect(limiter.peek('a').remaining).toBe(0);
    limiter.count('a', -9);
    expect(limiter.peek('a').remaining).toBe(LIMIT);
  });

  test('is never negative', () => {
    limiter.count('a', -3);
    expect(limiter.peek('a').remaining).toBe(LIMIT);
    expect(admitted(LIMIT + 1)).toBe(false);
  });
});

test('a clock that is set back by more than a minute starts a new minute', () => {
  limiter.charge('a', 5);
  nowMs -= 1;
  expect(limiter.charge('a', 5)).toMatchObject({ admitted: true, resetAtMs: nowMs + MINUTE_MS });
});
