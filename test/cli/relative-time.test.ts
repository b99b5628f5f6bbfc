import { relativeTime } from '../../src/cli/relative-time.js';

const now = Date.UTC(2026, 10, 23, 12);
const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

test.each([
  [0, 'just now'],
  [-59 * SECOND, 'just now'],
  [-60 * SECOND, '1 minute ago'],
  [-(HOUR - 1), '59 minutes ago'],
  [-HOUR, '1 hour ago'],
  [-3 * DAY, '3 days ago'],
  [-45 * DAY, '1 month ago'],
  [-800 * DAY, '2 years ago'],
  [SECOND, 'in 1 second'],
  [500, 'in 0 seconds'],
  [90 * SECOND, 'in 1 minute'],
  [25 * HOUR, 'in 1 day'],
])('%i ms from now: %s', (distanceMs, text) => {
  expect(relativeTime(new Date(now + distanceMs), now)).toBe(text);
});
