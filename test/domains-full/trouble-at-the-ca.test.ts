import { readFile } from 'node:fs/promises';
import type { Issuance } from '../../src/features/publishing/certificates/issuance.js';
import type { Domain } from '../../src/features/publishing/domains/domain.js';
import {
  problem,
  startCaProxy,
  type CaProxy,
  type Interference,
} from '../features/publishing/certificates/ca-proxy.js';
import {
  issuanceOf,
  issuedOf,
  NOW_MS,
  startCa,
  step,
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

  const process = () => ca.process({ directoryUrl: proxy.directoryUrl });
  const reach = async (state: Issuance['state']) =>
    takeSteps(await ca.start(), process, (now) => now.state === state);
  const stepAgainst = (domain: Domain, path: string, interference: Interference) => {
    proxy.interfere((asked) => (asked.startsWith(path) ? interference : undefined));
    return step(domain, process());
  };
  const dueInMs = ({ certificate: { nextAt } }: Domain) => (nextAt?.getTime() ?? 0) - NOW_MS;

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
        const waiting = await stepAgainst(reached, '/', trouble);
        expect(issuanceOf(waiting)).toEqual({
          ...issuanceOf(reached),
          failures: 1,
          fault: { code: 'ca_unavailable', name: reached.name },
        });
        expect(dueInMs(waiting)).toBe(10_000);
        const again = await step(waiting, process());
        expect(dueInMs(again)).toBe(20_000);

        proxy.interfere(undefined);
        issuedOf(await takeSteps(again, process));
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
      const orders = ca.pebble.logged(ORDERED);
      const reached = await reach(state);
      const refusal = problem(429, 'rateLimited', 'too many certificates', { 'Retry-After': '3600' });
      const waiting = await stepAgainst(reached, path, refusal);
      expect(issuanceOf(waiting)).toMatchObject({ state, fault: { code: 'ca_rate_limited' } });
      expect(dueInMs(waiting)).toBe(3_600_000);
      proxy.interfere(undefined);
      issuedOf(await takeSteps(waiting, process));
      expect(ca.pebble.logged(ORDERED)).toBe(orders + 1);
    },
  );

  it('checks again after a day when Retry-After is a month', async () => {
    const reached = await reach('keyed');
    const refusal = problem(429, 'rateLimited', 'no', { 'Retry-After': String(30 * 86_400) });
    expect(dueInMs(await stepAgainst(reached, '/order-plz', refusal))).toBe(86_400_000);
  });

  it.each([
    ['keyed', '/order-plz'],
    ['ordered', '/chalZ'],
    ['finalizing', '/finalize-order'],
  ] as const)('a CAA refusal met in %s ends the issuance as one', async (state, path) => {
    const refusal = problem(403, 'caa', 'CAA record for x.example prevents issuance');
    const failed = await stepAgainst(await reach(state), path, refusal);
    expect(failed).toMatchObject({
      certificate: { state: 'failed', failures: 1 },
      problem: { code: 'caa_blocks', found: 'CAA record for x.example prevents issuance' },
    });
    expect(failed.certificate.issuance).toBeUndefined();
    expect(dueInMs(failed)).toBe(300_000);
    expect(ca.failedValidations).not.toContain(failed.name);
  });

  it('gives up an order that is lost every time', async () => {
    const orders = ca.pebble.logged(ORDERED);
    proxy.interfere((path) => (path.startsWith('/my-order') ? { status: 404, body: '' } : undefined));
    expect(await takeSteps(await ca.start(), process)).toMatchObject({
      certificate: { state: 'failed', failures: 1 },
      problem: { code: 'ca_unavailable' },
    });
    expect(ca.pebble.logged(ORDERED)).toBe(orders + 4);
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
      certificate: { state: 'failed', failures: 1 },
      problem: { code: 'ca_rejected', message: expect.stringContaining(detail) as string },
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
    const lostOrders = new Set<number>();
    const certified = await takeSteps(
      reached,
      () => (knows ? before : ca.process()),
      (now) => {
        lostOrders.add(now.lostOrders);
        return false;
      },
    );
    expect([...lostOrders]).toEqual([0, 1]);
    expect(issuedOf(certified).privateKey).toEqual(issuanceOf(reached).privateKey);
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
    const { name: hostname } = await ca.start();
    const process = ca.process();
    for (let orders = 1; orders <= 3; orders += 1) {
      issuedOf(await takeSteps(await ca.start({ hostname }), () => process));
      expect(ca.pebble.logged(ORDERED)).toBe(orders);
    }
  });
});
