import {
  planRenewal,
  type RenewalPlan,
} from '../../../../src/features/publishing/certificates/renewal-time.js';
import type { StoredCertificate } from '../../../../src/features/publishing/domains/domain.js';
import { issuedOf, NOW_MS, startCa, takeSteps, type WithCa } from './with-ca.js';

const DAY_MS = 24 * 60 * 60 * 1000;
const at = (days: number) => new Date(NOW_MS + days * DAY_MS);

describe('when to renew, as the CA says', () => {
  let ca: WithCa;
  let issued: StoredCertificate;
  let ariId: string;
  beforeAll(async () => {
    ca = await startCa();
  });
  // Pebble keeps the renewal advice that a test sets for a certificate.
  beforeEach(async () => {
    issued = issuedOf(await takeSteps(await ca.start(), () => ca.process()));
    ariId = issued.ariId ?? '';
  });
  afterAll(() => ca.close());

  it('is asked by an identifier that the CA knows', async () => {
    const advice = await ca.acme().renewalAdvice(ariId);
    expect(advice).toMatchObject({
      window: { start: expect.any(Date) as Date, end: expect.any(Date) as Date },
    });
    expect(advice?.retryAfterMs).toBeGreaterThan(0);
  });

  it('follows a window that the CA has moved, and keeps its explanation', async () => {
    const ask = async (previous: RenewalPlan | undefined) => {
      const advice = await ca.acme().renewalAdvice(ariId);
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
      await expect(ca.acme().renewalAdvice(ariId)).rejects.toMatchObject({
        failure: { kind: 'unavailable' },
      });
    },
  );

  it('returns the names of the CA for CAA records', async () => {
    expect(await ca.acme().caaIdentities()).toEqual(['ca.example']);
  });
});
