import { planRenewal, type RenewalPlan } from '../../src/certificates/renewal-time.js';
import { readCertificateChain } from '../../src/certificates/certificate-chain.js';
import { retryAfterMs } from '../../src/certificates/retry-after.js';
import type { Issuance } from '../../src/certificates/issuance.js';
import { NOW_MS, startCa, takeSteps, type WithCa } from './with-ca.js';

type Issued = Extract<Issuance, { state: 'issued' }>;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const at = (days: number) => new Date(NOW_MS + days * DAY_MS);

describe('when to renew, as the CA says', () => {
  let ca: WithCa;
  let issued: Issued;
  let ariId: string;
  beforeAll(async () => {
    ca = await startCa();
  });
  // What Pebble was told to say of one certificate, it goes on saying.
  beforeEach(async () => {
    issued = (await takeSteps(await ca.start(), () => ca.process())) as Issued;
    ariId = issued.ariId ?? '';
  });
  afterAll(() => ca.close());

  it('is asked by an identifier that the CA knows', async () => {
    const advice = await ca.process().acme.renewalAdvice(ariId);
    expect(advice).toMatchObject({
      window: { start: expect.any(Date) as Date, end: expect.any(Date) as Date },
    });
    expect(advice?.retryAfterMs).toBeGreaterThan(0);
  });

  it('follows a window that the CA has moved, and keeps its explanation', async () => {
    const ask = async (previous: RenewalPlan | undefined) => {
      const advice = await ca.process().acme.renewalAdvice(ariId);
      return planRenewal({ certificate: issued, advice, previous, nowMs: NOW_MS, random: () => 0.5 });
    };
    const first = await ask(undefined);
    expect(first.window).toBeDefined();
    const [start, end] = [at(-2), at(-1)];
    const explanationURL = 'https://ca.example/incident';
    await ca.pebble.setRenewalInfo(
      issued.pem,
      JSON.stringify({ suggestedWindow: { start, end }, explanationURL }),
    );
    expect(await ask(first)).toMatchObject({
      renewAt: at(-1.5),
      window: { start, end },
      explanationUrl: explanationURL,
    });
  });

  it.each([['{'], ['{}'], ['{"suggestedWindow":{"start":"soon","end":"later"}}']])(
    'is unavailable when the CA answers %s',
    async (answer) => {
      await ca.pebble.setRenewalInfo(issued.pem, answer);
      await expect(ca.process().acme.renewalAdvice(ariId)).rejects.toMatchObject({
        failure: { kind: 'unavailable' },
      });
    },
  );

  it('tells the names that stand for the CA in CAA records', async () => {
    expect(await ca.process().acme.caaIdentities()).toEqual(['ca.example']);
  });
});

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

  it('keeps the moment while the window stays: or the earliest of many draws would win', () => {
    const first = plan({});
    expect(plan({ previous: first, random: () => 0 }).renewAt).toEqual(first.renewAt);
  });

  it('draws again when the window moves', () => {
    const advice = {
      window: { start: at(0), end: at(1) },
      explanationUrl: undefined,
      retryAfterMs: undefined,
    };
    expect(plan({ previous: plan({}), advice, random: () => 0 }).renewAt).toEqual(at(0));
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

  it('keeps to what the CA said before while it cannot be asked', () => {
    const first = plan({});
    const later = plan({ advice: undefined, previous: first, nowMs: NOW_MS + HOUR_MS });
    expect(later).toEqual({ ...first, askAgainAt: new Date(NOW_MS + 7 * HOUR_MS) });
  });

  it.each([
    ['ends before it begins', at(8), at(4)],
    ['is empty', at(4), at(4)],
    ['ends after the certificate', at(4), at(21)],
  ])('passes over a window that %s', (_, start, end) => {
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
  ])('asks again after what the CA wants, within bounds: %s', (_, wanted, waitMs) => {
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
    ['soon', undefined],
    ['', undefined],
  ])('%p is %p ms', (header, expected) => {
    expect(retryAfterMs(header, NOW_MS)).toBe(expected);
  });
});

describe('the ARI identifier of a certificate', () => {
  // RFC 9773, appendix A.
  const example = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----`;

  it('is the one of the RFC for its certificate', () => {
    expect(readCertificateChain(example).ariId).toBe('aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE');
  });
});
