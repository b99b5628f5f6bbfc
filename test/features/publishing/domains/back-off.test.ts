import { waitMs } from '../../../../src/features/publishing/domains/back-off.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../src/lib/clock.js';

test.each([
  ['dnsCheck', MINUTE_MS, HOUR_MS],
  ['dnsWatch', MINUTE_MS, 6 * HOUR_MS],
  ['attempt', 5 * MINUTE_MS, 6 * HOUR_MS],
  ['request', 10 * SECOND_MS, 6 * HOUR_MS],
  ['poll', SECOND_MS, 30 * SECOND_MS],
] as const)(
  'the wait before another %s is first %i ms, doubles, and is at most %i ms',
  (work, first, longest) => {
    expect([0, 1, 2].map((earlier) => waitMs(work, earlier))).toEqual([first, 2 * first, 4 * first]);
    expect([20, 5000].map((earlier) => waitMs(work, earlier))).toEqual([longest, longest]);
  },
);

test('another validation of an order is due after a minute, then after five', () => {
  expect([0, 1].map((earlier) => waitMs('validation', earlier))).toEqual([MINUTE_MS, 5 * MINUTE_MS]);
});

test.each([
  ['poll', 500, SECOND_MS],
  ['poll', 5_000, 5_000],
  ['poll', HOUR_MS + 1, HOUR_MS],
  ['request', 1_000, 10 * SECOND_MS],
  ['request', HOUR_MS, HOUR_MS],
  ['request', DAY_MS + 1, DAY_MS],
  ['attempt', DAY_MS, 5 * MINUTE_MS],
] as const)(
  'before another %s, %i ms that the authority asks for become %i ms',
  (work, askedMs, expected) => {
    expect(waitMs(work, 0, askedMs)).toBe(expected);
  },
);
