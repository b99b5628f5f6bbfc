import {
  lastToReset,
  tightest,
  wholeWindowMs,
  type WindowState,
} from '../../../src/features/plans/window.js';
import { MIDNIGHT, NOON } from '../../support/fake-date.js';

const HOUR_MS = 3_600_000;

test('a window lasts a minute, or until midnight UTC', () => {
  expect(wholeWindowMs('minute', NOON)).toBe(60_000);
  expect(wholeWindowMs('day', NOON)).toBe(12 * HOUR_MS);
  expect(wholeWindowMs('day', MIDNIGHT)).toBe(24 * HOUR_MS);
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
