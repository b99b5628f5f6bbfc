import { AcmeError } from '../../../../src/features/publishing/certificates/acme-failure.js';
import {
  generateAccountKey,
  readAccountKey,
} from '../../../../src/features/publishing/certificates/account-key.js';
import { createAcme } from '../../../../src/features/publishing/certificates/acme.js';
import type { AcmeOptions } from '../../../../src/features/publishing/certificates/acme-requests.js';
import { chooseFreePort } from '../../../support/free-port.js';
import { PEBBLE_PROFILE } from '../../../support/pebble.js';
import { startCaProxy, type CaProxy, type Interference } from './ca-proxy.js';
import { issuedOf, NOW_MS, startCa, takeSteps, type WithCa } from './with-ca.js';

const ACCOUNT_MADE = 'accounts in memory';

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

const acmeOf = (options: Partial<AcmeOptions> = {}) =>
  createAcme({
    directoryUrl: proxy.directoryUrl,
    account: { key: readAccountKey(generateAccountKey()) },
    ca: ca.pebble.ca,
    now: () => NOW_MS,
    ...options,
  });
const order = { hostname: 'shop.example', profile: PEBBLE_PROFILE };

describe('the account', () => {
  it('is created once, by the first of several requests', async () => {
    const made = ca.pebble.logged(ACCOUNT_MADE);
    const acme = acmeOf();
    await Promise.all(Array.from({ length: 5 }, () => acme.newOrder(order)));
    expect(ca.pebble.logged(ACCOUNT_MADE)).toBe(made + 1);
  });

  it('is found again by its key', async () => {
    const account = { key: readAccountKey(generateAccountKey()), contact: ['mailto:ops@shop.example'] };
    const made = ca.pebble.logged(ACCOUNT_MADE);
    const { url } = await acmeOf({ account }).newOrder(order);
    expect(await acmeOf({ account }).order(url)).toMatchObject({ status: 'pending' });
    expect(ca.pebble.logged(ACCOUNT_MADE)).toBe(made + 1);
  });

  it('is requested again after a failure', async () => {
    const acme = acmeOf();
    proxy.interfere((path) => (path === '/sign-me-up' ? 'cut' : undefined));
    await expect(acme.newOrder(order)).rejects.toMatchObject({ failure: { kind: 'unavailable' } });
    proxy.interfere(undefined);
    expect(await acme.newOrder(order)).toMatchObject({ status: 'pending' });
  });

  it('owns its orders alone', async () => {
    const { url } = await acmeOf().newOrder(order);
    await expect(acmeOf().order(url)).rejects.toMatchObject({ failure: { kind: 'order_gone' } });
  });
});

describe('one process', () => {
  it('issues several certificates at the same time', async () => {
    const process = ca.process();
    const begun = await Promise.all(Array.from({ length: 5 }, () => ca.start()));
    const ended = await Promise.all(begun.map((domain) => takeSteps(domain, () => process)));
    expect(new Set(ended.map((domain) => issuedOf(domain).serialNumber)).size).toBe(5);
  });
});

it('says why a CA is unreachable, for every address that was tried', async () => {
  const directoryUrl = `https://localhost:${await chooseFreePort()}/dir`;
  await expect(acmeOf({ directoryUrl }).newOrder(order)).rejects.toMatchObject({
    failure: { kind: 'unavailable', detail: expect.stringContaining('ECONNREFUSED') as string },
  });
});

describe('a CA that cannot be trusted', () => {
  it('is not contacted if its certificate is not from the expected authority', async () => {
    const asked = acmeOf({ directoryUrl: ca.pebble.directoryUrl, ca: await ca.pebble.root() }).newOrder(
      order,
    );
    await expect(asked).rejects.toMatchObject({ failure: { kind: 'unavailable' } });
  });

  it('is not contacted without TLS', async () => {
    const directoryUrl = proxy.directoryUrl.replace('https:', 'http:');
    await expect(acmeOf({ directoryUrl }).newOrder(order)).rejects.toMatchObject({
      failure: { kind: 'unavailable', detail: expect.stringContaining('http:') as string },
    });
  });

  it.each<[string, Interference]>([
    ['never answers', 'silence'],
    ['never ends its answer', 'endless'],
    ['closes the connection', 'cut'],
  ])('that %s is unavailable', async (_, interference) => {
    proxy.interfere(() => interference);
    const asked = acmeOf({ timeoutMs: 500 }).newOrder(order);
    await expect(asked).rejects.toThrow(AcmeError);
    await expect(asked).rejects.toMatchObject({ failure: { kind: 'unavailable' } });
  });
});
