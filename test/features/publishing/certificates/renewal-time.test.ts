import { planRenewal } from '../../../../src/features/publishing/certificates/renewal-time.js';
import { retryAfterMs } from '../../../../src/features/publishing/certificates/acme-answers.js';

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const at = (days: number) => new Date(NOW_MS + days * DAY_MS);

describe('a renewal plan', () => {
  const certificate = { notBefore: at(-10), notAfter: at(20) };
  const window = { start: at(4), end: at(8) };
  const plan = (rest: Partial<Parameters<typeof planRenewal>[0]>) =>
    planRenewal({
      certificate,
      advice: { window, explanationUrl: undefined, retryAfterMs: undefined },
      previous: undefined,
      nowMs: NOW_MS,
      random: () => 0.25,
      ...rest,
    });

  it('draws a moment of the window', () => {
    expect(plan({}).renewAt).toEqual(at(5));
    expect(plan({ random: () => 0 }).renewAt).toEqual(window.start);
    expect(plan({ random: () => 1 - Number.EPSILON }).renewAt.getTime()).toBeLessThan(window.end.getTime());
  });

  it('keeps the moment while the window stays, so that repeated draws do not move it forward', () => {
    const first = plan({});
    expect(plan({ previous: first, random: () => 0 }).renewAt).toEqual(first.renewAt);
  });

  it.each([
    ['start', { start: at(3), end: window.end }, at(3)],
    ['end', { start: window.start, end: at(7) }, at(4)],
  ])('draws again when the %s of the window moves', (_, moved, renewAt) => {
    const advice = { window: moved, explanationUrl: undefined, retryAfterMs: undefined };
    expect(plan({ previous: plan({}), advice, random: () => 0 }).renewAt).toEqual(renewAt);
  });

  it('takes a window that reaches to the end of the certificate', () => {
    const whole = { start: at(4), end: certificate.notAfter };
    const advice = { window: whole, explanationUrl: undefined, retryAfterMs: undefined };
    expect(plan({ advice }).window).toEqual(whole);
  });

  it.each([
    [0, 1],
    [1, 0.5],
    [6, 6],
    [90, 45],
    [200, 398],
  ])('without advice renews when a third is left, whatever the lifetime (%d, %d days)', (begun, left) => {
    const lifetime = { notBefore: at(-begun), notAfter: at(left) };
    const { renewAt } = plan({ certificate: lifetime, advice: undefined });
    const thirdMs = ((begun + left) * DAY_MS) / 3;
    expect(lifetime.notAfter.getTime() - renewAt.getTime()).toBe(thirdMs);
  });

  it('keeps the previous advice while the CA is unreachable', () => {
    const first = plan({});
    const later = plan({ advice: undefined, previous: first, nowMs: NOW_MS + HOUR_MS });
    expect(later).toEqual({ ...first, askAgainAt: new Date(NOW_MS + 7 * HOUR_MS) });
  });

  it.each([
    ['ends before it begins', at(8), at(4)],
    ['is empty', at(4), at(4)],
    ['ends after the certificate', at(4), at(21)],
  ])('ignores a window that %s', (_, start, end) => {
    const advice = { window: { start, end }, explanationUrl: 'https://ca.example/', retryAfterMs: undefined };
    expect(plan({ advice })).toMatchObject({
      renewAt: at(10),
      window: undefined,
      explanationUrl: 'https://ca.example/',
    });
  });

  it.each([
    ['nothing', undefined, 6 * HOUR_MS],
    ['no wait', 0, MINUTE_MS],
    ['a second', 1000, MINUTE_MS],
    ['an hour', HOUR_MS, HOUR_MS],
    ['a year', 365 * DAY_MS, DAY_MS],
  ])('asks again after the wait of the CA, within bounds: %s', (_, wanted, waitMs) => {
    const advice = { window, explanationUrl: undefined, retryAfterMs: wanted };
    expect(plan({ advice }).askAgainAt).toEqual(new Date(NOW_MS + waitMs));
  });
});

describe('Retry-After', () => {
  it.each([
    [undefined, undefined],
    ['0', 0],
    ['120', 120_000],
    [new Date(NOW_MS + HOUR_MS).toUTCString(), HOUR_MS],
    [new Date(NOW_MS - HOUR_MS).toUTCString(), 0],
    ['-1', undefined],
    ['12 minutes', undefined],
    ['soon', undefined],
    ['', undefined],
  ])('%p is %p ms', (header, expected) => {
    expect(retryAfterMs(header, NOW_MS)).toBe(expected);
  });
});
