import { readFile } from 'node:fs/promises';
import type { Issuance } from '../../src/features/publishing/certificates/issuance.js';
import { nextStep } from '../../src/features/publishing/certificates/next-step.js';
import {
  problem,
  startCaProxy,
  type CaProxy,
  type Interference,
} from '../features/publishing/certificates/ca-proxy.js';
import {
  NOW_MS,
  startCa,
  stored,
  takeSteps,
  type WithCa,
} from '../features/publishing/certificates/with-ca.js';

const STATES = ['keyed', 'ordered', 'answering', 'finalizing'] as const;
const ORDERED = 'Added order';

describe('while the CA is in trouble', () => {
  let ca: WithCa;
  let proxy: CaProxy;
  beforeAll(async () => {
    ca = await startCa();
    proxy = await startCaProxy(ca.pebble);
  });
  afterAll(async () => {
    await proxy.close();
    await ca.close();
  });
  afterEach(() => proxy.interfere(undefined));

  const process = () => ca.process(proxy.directoryUrl);
  const reach = async (state: Issuance['state']) =>
    takeSteps(await ca.start(), process, (now) => now.state === state);
  const stepAgainst = (issuance: Issuance, path: string, interference: Interference) => {
    proxy.interfere((asked) => (asked.startsWith(path) ? interference : undefined));
    return nextStep(stored(issuance), process());
  };

  describe.each(STATES)('an issuance that is %s', (state) => {
    it.each([
      ['down', 'cut'],
      ['answering 500', problem(500, 'serverInternal', 'oops')],
      ['answering 502 in HTML', { status: 502, body: '<html>Bad gateway</html>' }],
      [
        'answering what is no JSON',
        { status: 200, headers: { Location: 'x', 'Replay-Nonce': 'x' }, body: '<' },
      ],
      ['redirecting', { status: 302, headers: { Location: 'https://localhost/' }, body: '' }],
      ['refusing every nonce', problem(400, 'badNonce', 'no', { 'Replay-Nonce': 'AAAA' })],
    ] satisfies [string, Interference][])(
      'waits for a CA that is %s, and continues its order',
      async (_, trouble) => {
        const reached = await reach(state);
        const orders = ca.pebble.logged(ORDERED);
        const { issuance, nextRunAt } = await stepAgainst(reached, '/', trouble);
        expect(issuance).toEqual({
          ...reached,
          failures: 1,
          lastFailure: expect.objectContaining({ kind: 'unavailable' }) as unknown,
        });
        expect(nextRunAt?.getTime()).toBe(NOW_MS + 10_000);
        const again = await nextStep(stored(issuance), process());
        expect(again.nextRunAt?.getTime()).toBe(NOW_MS + 20_000);

        proxy.interfere(undefined);
        expect(await takeSteps(again.issuance, process)).toMatchObject({ state: 'issued', failures: 0 });
        expect(ca.pebble.logged(ORDERED)).toBe(state === 'keyed' ? orders + 1 : orders);
      },
    );
  });

  it.each([
    ['keyed', '/order-plz'],
    ['ordered', '/chalZ'],
    ['answering', '/my-order'],
    ['finalizing', '/finalize-order'],
  ] as const)(
    'waits out a rate limit in %s as long as the CA says, and keeps the order',
    async (state, path) => {
      const reached = await reach(state);
      const refusal = problem(429, 'rateLimited', 'too many certificates', { 'Retry-After': '3600' });
      const { issuance, nextRunAt } = await stepAgainst(reached, path, refusal);
      expect(issuance).toMatchObject({
        state,
        lastFailure: { kind: 'rate_limited', detail: 'too many certificates', retryAfterMs: 3_600_000 },
      });
      expect(nextRunAt?.getTime()).toBe(NOW_MS + 3_600_000);
      proxy.interfere(undefined);
      expect(await takeSteps(issuance, process)).toMatchObject({ state: 'issued', lostOrders: 0 });
    },
  );

  it('checks again after a day when Retry-After is a month, and reports the month', async () => {
    const reached = await reach('keyed');
    const monthSeconds = 30 * 86_400;
    const refusal = problem(429, 'rateLimited', 'no', { 'Retry-After': String(monthSeconds) });
    const { issuance, nextRunAt } = await stepAgainst(reached, '/order-plz', refusal);
    expect(issuance.lastFailure?.retryAfterMs).toBe(monthSeconds * 1000);
    expect(nextRunAt?.getTime()).toBe(NOW_MS + 86_400_000);
  });

  it.each([
    ['keyed', '/order-plz'],
    ['ordered', '/chalZ'],
    ['finalizing', '/finalize-order'],
  ] as const)('a CAA refusal met in %s ends the issuance as one', async (state, path) => {
    const refusal = problem(403, 'caa', 'CAA record for x.example prevents issuance');
    const { issuance, nextRunAt } = await stepAgainst(await reach(state), path, refusal);
    expect(nextRunAt).toBeUndefined();
    expect(issuance).toMatchObject({
      state: 'failed',
      validationFailed: false,
      failure: { kind: 'caa', detail: 'CAA record for x.example prevents issuance' },
    });
  });

  it('gives up an order that is lost every time', async () => {
    proxy.interfere((path) => (path.startsWith('/my-order') ? { status: 404, body: '' } : undefined));
    expect(await takeSteps(await ca.start(), process)).toMatchObject({
      state: 'failed',
      failure: { kind: 'order_gone' },
      lostOrders: 3,
    });
  });

  it.each([
    ['of another key', () => readFile(ca.pebble.files.certificate, 'utf8'), 'another key'],
    [
      'that cannot be read',
      () => Promise.resolve('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'),
      'something that is not a certificate',
    ],
    ['that is empty', () => Promise.resolve(''), 'something that is not a certificate'],
  ])('rejects a certificate %s', async (_, body, detail) => {
    const reached = await reach('finalizing');
    const chain = { status: 200, body: await body() };
    proxy.interfere((path) => (path.startsWith('/certZ') ? chain : undefined));
    expect(await takeSteps(reached, process)).toMatchObject({
      state: 'failed',
      failure: { kind: 'rejected', detail: expect.stringContaining(detail) as string },
    });
  });
});

describe('a CA that has lost everything', () => {
  let ca: WithCa;
  beforeAll(async () => {
    ca = await startCa();
  });
  afterAll(() => ca.close());

  it.each(
    (['ordered', 'answering', 'finalizing'] as const).flatMap((state) => [
      [state, 'a process that knew it before', true] as const,
      [state, 'a process that did not', false] as const,
    ]),
  )('gets the account and a new order with the same key, from %s on, by %s', async (state, _, knows) => {
    const before = ca.process();
    const reached = await takeSteps(
      await ca.start(),
      () => before,
      (now) => now.state === state,
    );
    await ca.pebble.stop();
    await ca.pebble.start();
    const issued = await takeSteps(reached, () => (knows ? before : ca.process()));
    expect(issued).toMatchObject({ state: 'issued', lostOrders: 1 });
    expect(issued.privateKey).toEqual(reached.privateKey);
  });
});

describe.each([
  ['refuses half of all nonces', { nonceReject: 50 }],
  ['uses every valid authorization again', { authorizationReuse: 100 }],
  ['never uses an authorization again', { authorizationReuse: 0 }],
])('a CA that %s', (_, options) => {
  let ca: WithCa;
  beforeAll(async () => {
    ca = await startCa(options);
  });
  afterAll(() => ca.close());

  it('issues several certificates for one host, with one order each', async () => {
    const { hostname } = await ca.start();
    const process = ca.process();
    for (let orders = 1; orders <= 3; orders += 1) {
      const issued = await takeSteps(await ca.start({ hostname }), () => process);
      expect(issued).toMatchObject({ state: 'issued', lostOrders: 0 });
      expect(ca.pebble.logged(ORDERED)).toBe(orders);
    }
  });
});
