import { waitAfterFailureMs, waitForCaMs } from '../../../../src/features/publishing/certificates/waits.js';

const HOUR_MS = 3_600_000;

describe('the wait until the next look at an order', () => {
  it.each([
    [0, 1_000],
    [1, 2_000],
    [4, 16_000],
    [5, 30_000],
    [5000, 30_000],
  ])('after %i looks is %i ms', (looks, waitMs) => {
    expect(waitForCaMs(looks)).toBe(waitMs);
  });

  it.each([
    [500, 1_000],
    [5_000, 5_000],
    [HOUR_MS + 1, HOUR_MS],
  ])('is what the CA asks for, within bounds: %i ms', (askedMs, waitMs) => {
    expect(waitForCaMs(0, askedMs)).toBe(waitMs);
  });
});

describe('the wait after a failure', () => {
  it.each([
    [0, 10_000],
    [1, 20_000],
    [11, 20_480_000],
    [12, 6 * HOUR_MS],
    [5000, 6 * HOUR_MS],
  ])('after %i others is %i ms', (failures, waitMs) => {
    expect(waitAfterFailureMs(failures)).toBe(waitMs);
  });

  it.each([
    [1_000, 10_000],
    [HOUR_MS, HOUR_MS],
    [24 * HOUR_MS + 1, 24 * HOUR_MS],
  ])('is what the CA asks for, within bounds: %i ms', (askedMs, waitMs) => {
    expect(waitAfterFailureMs(0, askedMs)).toBe(waitMs);
  });
});
