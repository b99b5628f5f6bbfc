import {
  counterKey,
  counterLifetimeMs,
  keptForMs,
  lastToReset,
  tightest,
  unbegun,
  windowEndMs,
  type WindowState,
} from '../../../src/features/plans/window.js';
import { MIDNIGHT, NOON } from '../../support/fake-date.js';

const HOUR_MS = 3_600_000;

describe('the counter of a window', () => {
  const minute = { name: 'minute' as const, limit: 60, epoch: 3 };
  const day = { name: 'day' as const, limit: 1000, epoch: 4 };

  test('is one for a key, a window and an epoch, and for the day one for each date', () => {
    expect(counterKey('key_a', minute, NOON)).toBe('{key_a}:minute:3');
    expect(counterKey('key_a', day, MIDNIGHT - 1)).toBe('{key_a}:day:4:2029-06-15');
    expect(counterKey('key_a', day, MIDNIGHT)).toBe('{key_a}:day:4:2029-06-16');
  });

  test('lasts a minute, or until midnight UTC', () => {
    expect(counterLifetimeMs('minute', NOON)).toBe(60_000);
    expect(counterLifetimeMs('day', NOON)).toBe(12 * HOUR_MS);
    expect(counterLifetimeMs('day', MIDNIGHT)).toBe(24 * HOUR_MS);
  });

  test('is kept for a minute, or for an hour past midnight', () => {
    expect(keptForMs('minute', NOON)).toBe(60_000);
    expect(keptForMs('day', MIDNIGHT - 1)).toBe(HOUR_MS + 1);
  });
});

describe('a window ends', () => {
  const noon = { askedAtMs: NOON, nowMs: NOON };

  test('with its counter, when it is a minute', () => {
    expect(windowEndMs('minute', NOON + 5000, noon)).toBe(NOON + 5000);
    expect(windowEndMs('minute', NOON + 61_000, noon)).toBe(NOON + 61_000);
  });

  test('within a minute, though its counter was begun by a clock that was ahead', () => {
    expect(windowEndMs('minute', NOON + 61_001, noon)).toBe(NOON + 60_000);
  });

  test('when it is a day, at the midnight after the request, however long its counter is kept', () => {
    expect(windowEndMs('day', MIDNIGHT + HOUR_MS, { askedAtMs: MIDNIGHT - 1, nowMs: MIDNIGHT + 1 })).toBe(
      MIDNIGHT,
    );
  });
});

describe('the reported window', () => {
  const minute = (remaining: number, resetAtMs?: number): WindowState => ({
    name: 'minute',
    limit: 60,
    used: 60 - remaining,
    remaining,
    resetAtMs,
  });
  const day = (remaining: number, resetAtMs?: number): WindowState => ({
    ...minute(remaining, resetAtMs),
    name: 'day',
  });

  test.each<[string, WindowState[], string | undefined]>([
    ['the one with less left', [minute(5, NOON), day(7, MIDNIGHT)], 'minute'],
    ['the one with less left, wherever it stands', [minute(5, NOON), day(4, MIDNIGHT)], 'day'],
    ['of two with as much left the one that resets later', [minute(5, NOON), day(5, MIDNIGHT)], 'day'],
    [
      'of two with as much left the one that resets later, wherever it stands',
      [minute(5, MIDNIGHT), day(5, NOON)],
      'minute',
    ],
    ['of two with as much left the one that has not begun', [minute(5, NOON), day(5)], 'day'],
    ['the first of two that have not begun', [minute(5), day(5)], 'minute'],
    ['none of none', [], undefined],
  ])('has the fewest requests left: %s', (_what, windows, name) => {
    expect(tightest(windows)?.name).toBe(name);
  });

  test.each<[string, WindowState[], string | undefined]>([
    ['the later', [minute(0, NOON), day(0, MIDNIGHT)], 'day'],
    ['the later, wherever it stands', [minute(0, MIDNIGHT), day(0, NOON)], 'minute'],
    ['the first of two at once', [minute(0, NOON), day(0, NOON)], 'minute'],
    ['none of none', [], undefined],
  ])('of a rejection is the last to reset: %s', (_what, windows, name) => {
    expect(lastToReset(windows)?.name).toBe(name);
  });
});

test('a window that has not begun has all of its limit left and no end', () => {
  expect(unbegun({ name: 'day', limit: 1000 })).toEqual({
    name: 'day',
    limit: 1000,
    used: 0,
    remaining: 1000,
    resetAtMs: undefined,
  });
});
