import { watchAfter } from '../../../../src/features/publishing/domains/dns-steps.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('when the DNS records of a held domain are checked again', () => {
  const waitMs = (failures: number, random: number) =>
    watchAfter(failures, NOW, () => random).getTime() - NOW;

  test.each([
    [0, 4 * HOUR, 6 * HOUR],
    [1, 40_000, MINUTE],
    [2, 80_000, 2 * MINUTE],
    [8, (128 * MINUTE * 2) / 3, 128 * MINUTE],
    [10, 4 * HOUR, 6 * HOUR],
    [2000, 4 * HOUR, 6 * HOUR],
  ])('after %d failures: between %d and %d ms', (failures, earliest, latest) => {
    expect(waitMs(failures, 0)).toBe(latest);
    expect(waitMs(failures, 0.999_999_999_9)).toBe(earliest);
  });
});
