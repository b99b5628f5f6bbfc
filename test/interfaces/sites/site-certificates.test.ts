import { createAuthority, writeCertificate, type Authority } from '../../support/authority.js';
import { askGraphQL, dataOf } from '../graphql/client.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/until.js';
import { siteDomainId } from '../../../src/features/publishing/domains/site-domain.js';
import {
  certify,
  createBrowser,
  HANDSHAKE_FAILURE,
  refusalOf,
  startVisited,
  visitSecurely,
  type VisitedGateway,
} from './domains.js';
import { createStore, PLATFORM_HOST, publish, visit, type Store } from './visitor.js';

/** Where the operator has no certificate for the platform's hosts, each has one of its own. Nobody issues them here. */
const ENV = { ACME_DIRECTORY_URL: 'https://authority.invalid/directory', PUBLIC_HTTPS_PORT: '443' };

let authority: Authority;
let here: VisitedGateway;
let there: VisitedGateway;
const folder = useTemporaryFolder();

beforeAll(async () => {
  authority = await createAuthority();
  here = await startVisited({ env: ENV });
  there = await startVisited({ beside: here, env: { ...ENV, KEY_CACHE_TTL_SECONDS: '3600' } });
  await until(
    'a healthy change stream',
    async () => (await there.services.readiness()).checks['keyChanges'] === 'ok',
  );
});
afterAll(async () => {
  await there.close();
  await here.close();
});

async function newSite(): Promise<Store> {
  const store = await createStore(here);
  await publish(here, store.project.id, { 'index.html': 'the shop' });
  return store;
}

const ask = (gateway: VisitedGateway, host: string) =>
  visitSecurely(createBrowser(authority, { keepAlive: false }), gateway, host);
const recordOf = async ({ project }: Store) => {
  const record = await here.domains.store.get(siteDomainId(project.id));
  if (record === undefined) throw new Error('there is no record');
  return record;
};

interface SiteAnswer {
  project: { site: Record<string, unknown> | null; domains: unknown[]; primaryDomain: string | null };
}
async function shown({ project }: Store): Promise<SiteAnswer['project']> {
  const { secret } = await here.services.apiKeys.create({ name: 'admin', role: 'admin' });
  const query = `query ($id: ID!) { project(id: $id) { primaryDomain domains { name }
    site { host url isHttps certificateState certificateExpiresAt problem { code message retryAt } } } }`;
  return (await dataOf(askGraphQL<SiteAnswer>(here, secret, query, { id: project.id }))).project;
}

test('its first deploy makes a certificate due, once, and a project without one has none due', async () => {
  const store = await createStore(here);
  expect(await here.domains.store.get(siteDomainId(store.project.id))).toBeUndefined();
  await publish(here, store.project.id, { 'index.html': 'the shop' });
  const first = await recordOf(store);
  expect(first).toMatchObject({ name: store.host, holds: true, certificate: { state: 'none' } });
  expect(first.nextRunAt?.getTime()).toBeLessThanOrEqual(Date.now());
  await publish(here, store.project.id, { 'index.html': 'the shop, again' });
  expect(await recordOf(store)).toEqual(first);
});

test('a deploy that was refused makes none due', async () => {
  const store = await createStore(here);
  await expect(publish(here, store.project.id, { 'page.html': 'no index' })).rejects.toMatchObject({
    code: 'invalid_request',
  });
  expect(await here.domains.store.get(siteDomainId(store.project.id))).toBeUndefined();
});

test('it is no domain of the customer’s: not listed, looked at, verified, removed or added', async () => {
  const store = await newSite();
  const { id } = await recordOf(store);
  expect(await shown(store)).toMatchObject({ domains: [], primaryDomain: store.host });
  const change = here.services.administration({ role: 'command line' });
  const { service } = here.domains;
  for (const attempt of [
    () => service.get(id),
    () => change.verifyDomain(id),
    () => change.removeDomain(id),
    () => change.setPrimaryDomain(store.project.id, id),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
  await expect(change.addDomain(store.project.id, store.host)).rejects.toMatchObject({
    code: 'invalid_request',
  });
});

test('until it has its certificate a site is served over HTTP, and says so', async () => {
  const store = await newSite();
  expect((await visit(here.http, store.host, '/')).text).toBe('the shop');
  expect(await refusalOf(ask(here, store.host))).toMatch(HANDSHAKE_FAILURE);
  expect((await shown(store)).site).toEqual({
    host: store.host,
    url: `http://${store.host}:${new URL(here.http.url).port}`,
    isHttps: false,
    certificateState: 'none',
    certificateExpiresAt: null,
    problem: null,
  });
});

test('once it has one it is served over HTTPS by every gateway, and HTTP leads there', async () => {
  const store = await newSite();
  for (const gateway of [here, there]) expect((await visit(gateway.http, store.host, '/')).status).toBe(200);
  const { notAfter } = await certify(here, authority, await recordOf(store));
  for (const gateway of [here, there]) {
    // What `there` has in memory would live for an hour: it hears of the change.
    await until('the redirect', async () => (await visit(gateway.http, store.host, '/a?b')).status === 301);
    expect((await visit(gateway.http, store.host, '/a?b')).headers.location).toBe(
      `https://${store.host}/a?b`,
    );
    expect((await ask(gateway, store.host)).text).toBe('the shop');
  }
  expect((await shown(store)).site).toEqual({
    host: store.host,
    url: `https://${store.host}`,
    isHttps: true,
    certificateState: 'active',
    certificateExpiresAt: notAfter.toISOString(),
    problem: null,
  });
});

test("the operator's own certificate, set later, takes its place", async () => {
  const store = await newSite();
  await certify(here, authority, await recordOf(store));
  const wildcard = await writeCertificate(folder(), authority, `*.${PLATFORM_HOST}`);
  const covered = await startVisited({
    beside: here,
    env: { ...ENV, PLATFORM_TLS_CERT_FILE: wildcard.cert, PLATFORM_TLS_KEY_FILE: wildcard.key },
  });
  try {
    expect((await ask(covered, store.host)).serialNumber.toLowerCase()).toBe(wildcard.serialNumber);
    const later = await createStore(here);
    await publish(covered, later.project.id, { 'index.html': 'the later shop' });
    expect((await ask(covered, later.host)).text).toBe('the later shop');
    expect(await here.domains.store.get(siteDomainId(later.project.id))).toBeUndefined();
    expect(await covered.domains.platformHosts.siteOf(later.project)).toMatchObject({
      isHttps: true,
      certificateState: 'active',
    });
  } finally {
    await covered.close();
  }
});

test("a certificate of the operator's for another host leaves each site its own", async () => {
  const other = await writeCertificate(folder(), authority, 'api.localhost');
  const gateway = await startVisited({
    beside: here,
    env: { ...ENV, PLATFORM_TLS_CERT_FILE: other.cert, PLATFORM_TLS_KEY_FILE: other.key },
  });
  try {
    const store = await createStore(here);
    await publish(gateway, store.project.id, { 'index.html': 'the shop' });
    const { serialNumber } = await certify(gateway, authority, await recordOf(store));
    expect((await ask(gateway, store.host)).serialNumber.toLowerCase()).toBe(serialNumber);
  } finally {
    await gateway.close();
  }
});

test('under another PLATFORM_HOST a site is served without the certificate of its old host until it has its own', async () => {
  const store = await newSite();
  await certify(here, authority, await recordOf(store));
  const moved = await startVisited({ beside: here, env: { ...ENV, PLATFORM_HOST: 'moved.localhost' } });
  try {
    const host = `${store.project.slug}.moved.localhost`;
    const answer = await visit(moved.http, host, '/');
    expect([answer.status, answer.text]).toEqual([200, 'the shop']);
    expect(await moved.domains.platformHosts.siteOf(store.project)).toMatchObject({
      url: expect.stringMatching(/^http:/) as string,
      isHttps: false,
      certificateState: 'none',
      certificateExpiresAt: undefined,
    });
    expect((await visit(moved.http, store.host, '/')).status).toBe(421);
    expect(await refusalOf(ask(moved, store.host))).toMatch(HANDSHAKE_FAILURE);

    await moved.domains.platformHosts.certify(store.project.id);
    const record = await recordOf(store);
    expect(record).toMatchObject({ name: host, holds: true, certificate: { state: 'none' } });
    await certify(moved, authority, record);
    await until('HTTPS', async () => (await visit(moved.http, host, '/')).status === 301);
    expect((await ask(moved, host)).text).toBe('the shop');
  } finally {
    await moved.close();
  }
});
