import { dnsRetryAt } from '../../../../src/features/publishing/domains/dns-steps.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('when DNS is checked again', () => {
  const retryAt = (failures: number, hoursAgo: number) =>
    dnsRetryAt({ state: 'failed', failures, requestedAt: new Date(NOW - hoursAgo * HOUR) }, NOW)?.getTime();

  test.each([
    [0, MINUTE],
    [1, 2 * MINUTE],
    [5, 32 * MINUTE],
    [6, HOUR],
    [1000, HOUR],
  ])('after %d consecutive failures in %d ms', (failures, waitMs) => {
    expect(retryAt(failures, 1)).toBe(NOW + waitMs);
  });

  test('for 48 hours after Verify, then not before the next Verify', () => {
    expect(retryAt(6, 47)).toBe(NOW + HOUR);
    expect(retryAt(6, 47.01)).toBeUndefined();
    expect(retryAt(0, 47.99)).toBeUndefined();
  });

  test('exactly that often in total', () => {
    let at = NOW;
    let looks = 0;
    for (;;) {
      const next = dnsRetryAt({ state: 'failed', failures: looks, requestedAt: new Date(NOW) }, at);
      if (next === undefined) break;
      at = next.getTime();
      looks += 1;
    }
    expect(looks).toBe(52);
    expect(at - NOW).toBeLessThanOrEqual(48 * HOUR);
  });
});
