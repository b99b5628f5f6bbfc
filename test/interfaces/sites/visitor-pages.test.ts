import { createHash } from 'node:crypto';
import { createAuthority } from '../../support/authority.js';
import { useStarted } from '../../support/gateway.js';
import { until } from '../../support/until.js';
import { holdDomain, certify, startVisited } from './domains.js';
import { createStore, PLATFORM_HOST, publish, visit, type Store, type Visited } from './visitor.js';

/** What a person sees where there is no site to see; programs get the Error object. */
const DAY_MS = 86_400_000;
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

let store: Store;
let aheadMs = 0;

const gateway = useStarted(() => startVisited({ clock: () => Date.now() + aheadMs }));
beforeAll(async () => {
  store = await createStore(gateway);
  await publish(gateway, store.project.id, { 'index.html': 'the shop' });
});
afterEach(() => {
  aheadMs = 0;
});

const change = () => gateway.services.administration({ role: 'command line' });
const browse = (host: string, path = '/', accept = BROWSER) =>
  visit(gateway.http, host, path, { headers: { accept } });

/** Checks what holds for every such page, and returns its heading. */
function headingOf({ headers, text }: Visited): string {
  expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  expect(headers.vary).toBe('Accept');
  expect(headers).not.toHaveProperty('link');
  const style = /<style>([^]*?)<\/style>/.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(headers['content-security-policy']).toBe(
    `default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; img-src data:; style-src 'sha256-${hash}'`,
  );
  expect(text).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1" />');
  expect(text).not.toMatch(/<script|style="| on\w+=/);
  const [, heading = ''] = /<h1>([^<]+)<\/h1>/.exec(text) ?? [];
  expect(text).toContain(`<title>${heading}</title>`);
  return heading;
}

const UNKNOWN = 'There is no site at this address';
const REMOVED = 'This site is no longer here';
const SUSPENDED = 'This site is suspended';
const UNPUBLISHED = 'Nothing is published here yet';

let count = 0;
async function newDomain(owner: Store = store) {
  return holdDomain(gateway, owner.project.id, `page${++count}.example`);
}

/** A host that a project took and the gateway does not serve, with its page. */
const HOSTS: [string, { host: () => Promise<string>; status: number; heading: string }][] = [
  ['that nobody added', { host: () => Promise.resolve('nobody.example'), status: 421, heading: UNKNOWN }],
  [
    'with a slug that no project ever had',
    { host: () => Promise.resolve(`nobody-had-it.${PLATFORM_HOST}`), status: 421, heading: UNKNOWN },
  ],
  ['of the platform itself', { host: () => Promise.resolve(PLATFORM_HOST), status: 421, heading: UNKNOWN }],
  [
    'of a removed domain',
    {
      async host() {
        const domain = await newDomain();
        await gateway.domains.store.recordHolding(domain, new Date());
        expect((await browse(domain.name)).text).toBe('the shop');
        await change().removeDomain(domain.id);
        return domain.name;
      },
      status: 421,
      heading: REMOVED,
    },
  ],
  [
    'of a deleted project',
    {
      async host() {
        const { project, host } = await createStore(gateway);
        expect((await browse(host)).status).toBe(404);
        await change().deleteProject(project.id, project.name);
        return host;
      },
      status: 421,
      heading: REMOVED,
    },
  ],
  [
    'of a suspended domain',
    {
      async host() {
        const owner = await createStore(gateway);
        await publish(gateway, owner.project.id, { 'index.html': 'the shop' });
        const domain = await newDomain(owner);
        await gateway.services.projects.changePlan(owner.project.id, 'free');
        expect((await browse(domain.name)).text).toBe('the shop');
        aheadMs = 7.1 * DAY_MS;
        return domain.name;
      },
      status: 421,
      heading: SUSPENDED,
    },
  ],
  [
    'of a project without a deploy',
    { host: async () => (await createStore(gateway)).host, status: 404, heading: UNPUBLISHED },
  ],
  [
    'of a domain of a project without a deploy',
    {
      host: async () => (await newDomain(await createStore(gateway))).name,
      status: 404,
      heading: UNPUBLISHED,
    },
  ],
];

describe.each(HOSTS)('a host %s', (_what, { host: hostOf, status, heading }) => {
  const code = status === 404 ? 'not_found' : 'misdirected_request';
  let host: string;
  let atMs: number;
  beforeAll(async () => {
    host = await hostOf();
    atMs = aheadMs;
  });
  beforeEach(() => {
    aheadMs = atMs;
  });

  it(`is a page with status ${status} to a person, at any path`, async () => {
    // Other changes may still be on their way by the change stream.
    await until('the page', async () => (await browse(host)).text.includes(`<h1>${heading}</h1>`));
    for (const path of ['/', '/a/b?c=<script>']) {
      const page = await browse(host, path);
      expect([page.status, headingOf(page)]).toEqual([status, heading]);
    }
  });

  it.each([
    ['accepts anything', '/', '*/*'],
    ['asks for JSON', '/', 'application/json'],
    ['prefers JSON', '/', 'text/html;q=0.8, application/json'],
    ['asks the API', '/v1/pets', BROWSER],
    ['asks below the API', '/v1/x', BROWSER],
  ])(`is ${code} to a program that %s`, async (_who, path, accept) => {
    const answer = await browse(host, path, accept);
    expect([answer.status, answer.headers['content-type']]).toEqual([
      status,
      expect.stringMatching(/^application\/json/),
    ]);
    expect(JSON.parse(answer.text)).toMatchObject({ code, status });
  });

  it('has the same headers for HEAD', async () => {
    const head = await visit(gateway.http, host, '/', { method: 'HEAD', headers: { accept: BROWSER } });
    const page = await browse(host);
    expect([head.status, head.text]).toEqual([status, '']);
    expect(head.headers['content-length']).toBe(page.headers['content-length']);
    expect(head.headers['cache-control']).toBe('no-store');
  });
});

it('asks owners to add a domain only where that is possible', async () => {
  const { project, host } = await createStore(gateway);
  await change().deleteProject(project.id, project.name);
  await until('the page', async () => (await browse(host)).text.includes(REMOVED));
  for (const at of [host, `nobody-had-it.${PLATFORM_HOST}`, PLATFORM_HOST])
    expect((await browse(at)).text).not.toContain('your domain');
  expect((await browse('nobody.example')).text).toContain('Is this your domain?');
});

it('names PUBLIC_URL on the page to a person at this machine, and to nobody else', async () => {
  const local = await browse('localhost');
  headingOf(local);
  expect([local.status, local.text]).toEqual([
    421,
    expect.stringContaining('PUBLIC_URL is http://127.0.0.1:3000'),
  ]);
  expect((await browse('nobody.example')).text).not.toContain('127.0.0.1');
});

it('a domain that was removed and taken by another project is served again', async () => {
  const domain = await newDomain();
  await gateway.domains.store.recordHolding(domain, new Date());
  await change().removeDomain(domain.id);
  expect(headingOf(await browse(domain.name))).toBe(REMOVED);
  const other = await createStore(gateway);
  await publish(gateway, other.project.id, { 'index.html': 'the other shop' });
  await holdDomain(gateway, other.project.id, domain.name);
  await until('the other shop', async () => (await browse(domain.name)).text === 'the other shop');
});

it('the log names unknown hosts only, because PUBLIC_URL is not the reason for the others', async () => {
  const removed = await newDomain();
  await gateway.domains.store.recordHolding(removed, new Date());
  await change().removeDomain(removed.id);
  await until('the page', async () => (await browse(removed.name)).text.includes(REMOVED));
  await browse('nobody.example');
  const logged = () =>
    gateway.logLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ publicUrl }) => publicUrl !== undefined)
      .map(({ host }) => host);
  await until('the line', () => Promise.resolve(logged().includes('nobody.example')));
  expect(logged()).not.toContain(removed.name);
});

describe('a path that a site does not have', () => {
  let host: string;
  let ownPage: string;
  beforeAll(async () => {
    const authority = await createAuthority();
    const sites = [await createStore(gateway), await createStore(gateway)] as const;
    await publish(gateway, sites[0].project.id, { 'index.html': 'the shop' });
    await publish(gateway, sites[1].project.id, { 'index.html': 'the shop', '404.html': 'not here' });
    for (const { project } of sites) {
      const primary = await newDomain({ ...store, project });
      await certify(gateway, authority, primary);
      await change().setPrimaryDomain(project.id, primary.id);
    }
    [host, ownPage] = [sites[0].host, sites[1].host];
    const canonicalOf = async (at: string) => (await browse(at)).headers['link'];
    await until('the primary domains', async () => (await canonicalOf(host)) && (await canonicalOf(ownPage)));
  });

  it('is a page that leads home and names no primary address', async () => {
    const page = await browse(host, '/none');
    expect([page.status, headingOf(page)]).toEqual([404, 'Page not found']);
    expect(page.text).toContain('<a href="/">');
  });

  it("is the site's own 404.html without a primary address", async () => {
    const page = await browse(ownPage, '/none');
    expect([page.status, page.text]).toEqual([404, 'not here']);
    expect(page.headers).not.toHaveProperty('link');
  });

  it('is the Error object to a program, without a primary address', async () => {
    for (const path of ['/none', '/v1/pets', '/graphql']) {
      const answer = await browse(host, path, 'application/json');
      expect([answer.status < 500, answer.headers['content-type']]).toEqual([
        true,
        expect.stringMatching('json'),
      ]);
      expect(answer.headers).not.toHaveProperty('link');
    }
  });
});
