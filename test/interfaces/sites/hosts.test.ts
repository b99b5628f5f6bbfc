import { expectRawError } from '../../support/expect-answer.js';
import { useStarted } from '../../support/gateway.js';
import { rawHead, sendRaw } from '../../support/raw-http.js';
import { createStore, PLATFORM_HOST, publish, startPlatform, visit, type Store } from './visitor.js';

const gateway = useStarted(startPlatform);
let store: Store;
beforeAll(async () => {
  store = await createStore(gateway);
  await publish(gateway, store.project.id, { 'index.html': 'the shop' });
});

const ask = (target: string, ...headers: string[]) =>
  sendRaw(gateway.url, rawHead(`GET ${target} HTTP/1.1`, 'Connection: close', ...headers));
const slugHost = () => store.host;

describe("the operator's host", () => {
  it.each(['127.0.0.1', '127.0.0.1:3000', '127.0.0.1:', '127.0.0.1:1'])(
    'Host: %s is the API',
    async (host) => {
      expectRawError(await ask('/v1/pets', `Host: ${host}`), 401, 'missing_api_key');
      expect((await ask('/docs/reference', `Host: ${host}`)).body).toContain('scalar.js');
    },
  );

  it('answers a preflight and a key as without published sites', async () => {
    const { secret } = await gateway.keyOn('free');
    expect((await gateway.request('/v1/pets', { key: secret })).status).toBe(200);
    const preflight = { origin: 'https://shop.example', 'access-control-request-method': 'GET' };
    expect((await gateway.request('/v1/pets', { method: 'OPTIONS', headers: preflight })).status).toBe(204);
  });
});

describe("a site's host", () => {
  it.each([
    ['as it is', (host: string) => host],
    ['in other case', (host: string) => host.toUpperCase()],
    ['with the dot of the root', (host: string) => `${host}.`],
    ['with a port', (host: string) => `${host}:8080`],
    ['with a dot and a port', (host: string) => `${host}.:80`],
  ])('is the site %s', async (_how, write) => {
    const answer = await ask('/', `Host: ${write(slugHost())}`);
    expect([answer.status, answer.body]).toEqual([200, 'the shop']);
  });

  it('is asked for by an absolute target, whatever Host says', async () => {
    const answer = await ask(`http://${slugHost()}/`, 'Host: 127.0.0.1');
    expect([answer.status, answer.body]).toEqual([200, 'the shop']);
    expectRawError(await ask('http://127.0.0.1/v1/pets', `Host: ${slugHost()}`), 401);
  });

  it('is asked for by HTTP/1.0 with a Host', async () => {
    const answer = await sendRaw(gateway.url, rawHead('GET / HTTP/1.0', `Host: ${slugHost()}`));
    expect([answer.status, answer.body]).toEqual([200, 'the shop']);
  });

  it('of a project without a deploy says so to people, and is 404 for programs', async () => {
    const { host } = await createStore(gateway);
    const page = await visit(gateway, host, '/', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain('Nothing is published here yet');
    expectRawError(await ask('/', `Host: ${host}`), 404, 'not_found');
  });

  it('of a new project is there at once, though it was asked for before', async () => {
    const slug = 'soon-to-be';
    expectRawError(await ask('/', `Host: ${slug}.${PLATFORM_HOST}`), 421);
    const project = await gateway.services
      .administration({ role: 'command line' })
      .createProject({ name: slug });
    expect(project.slug).toBe(slug);
    expectRawError(await ask('/', `Host: ${slug}.${PLATFORM_HOST}`), 404);
  });
});

describe('any other host is 421', () => {
  it.each([
    ['of nobody', 'shop.example'],
    ['of no project', `nobody.${PLATFORM_HOST}`],
    ['of the platform itself', PLATFORM_HOST],
    ['below a site', `www.paws.${PLATFORM_HOST}`],
    ['that ends alike', `paws${PLATFORM_HOST}`],
    ['that goes on', `paws.${PLATFORM_HOST}.example`],
    ['with two dots of the root', `paws.${PLATFORM_HOST}..`],
    ['that is another name of the operator', 'localhost'],
    ['that is another address', '127.1'],
    ['that is an IPv6 address', '[::1]:3000'],
    ['that is empty', ''],
    ['that is a port', ':3000'],
  ])('a host %s: %j', async (_what, host) => {
    for (const path of ['/', '/v1/pets', '/graphql', '/docs'])
      expectRawError(await ask(path, `Host: ${host}`), 421, 'misdirected_request');
  });

  it('no host at all, in HTTP/1.0', async () => {
    expectRawError(await sendRaw(gateway.url, rawHead('GET / HTTP/1.0')), 421, 'misdirected_request');
  });

  it.each(['localhost:3000', '[::1]', '127.0.0.2'])(
    'names PUBLIC_URL to a client on this machine that opens %s',
    async (host) => {
      const { message } = expectRawError(await ask('/', `Host: ${host}`), 421);
      expect(message).toContain('PUBLIC_URL is http://127.0.0.1:3000: open that, or set PUBLIC_URL to');
    },
  );

  it.each([
    ['asks for another name', ['Host: shop.example']],
    ['comes by a proxy at this machine', ['Host: localhost', 'X-Forwarded-For: 203.0.113.7']],
    ['comes by one that says so otherwise', ['Host: localhost', 'Forwarded: for=203.0.113.7']],
  ])('names no host to an unauthenticated client that %s', async (_who, headers) => {
    const { message } = expectRawError(await ask('/', ...headers), 421);
    expect(message).toBe('Nothing is served under this host name here.');
  });

  it('the log tells of each such host once, and of ten at most', async () => {
    const other = await startPlatform();
    const askFor = (host: string) =>
      sendRaw(other.url, rawHead('GET / HTTP/1.1', 'Connection: close', `Host: ${host}`));
    for (let i = 1; i <= 12; i++) {
      await askFor(`host-${i}.example`);
      await askFor(`HOST-${i}.example:443`);
    }
    const lines = other.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    await other.close();
    const logged = lines.filter(({ publicUrl }) => publicUrl !== undefined);
    expect(logged.map(({ host }) => host)).toEqual(
      Array.from({ length: 10 }, (_, i) => `host-${i + 1}.example`),
    );
    expect(logged[0]).toMatchObject({ level: 40, publicUrl: 'http://127.0.0.1:3000' });
  });

  it('a preflight gets nothing either', async () => {
    const preflight = { origin: 'https://x.example', 'access-control-request-method': 'GET' };
    const answer = await visit(gateway, 'shop.example', '/v1/pets', {
      method: 'OPTIONS',
      headers: preflight,
    });
    expect(answer.status).toBe(421);
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('a Host that is no host is 400', () => {
  it.each([
    ['a list', () => `127.0.0.1, ${slugHost()}`],
    ['a user', () => `127.0.0.1@${slugHost()}`],
    ['a path', () => `${slugHost()}/v1`],
    ['a scheme', () => `http://${slugHost()}`],
    ['two ports', () => `${slugHost()}:80:80`],
    ['an escape', () => `%31${slugHost()}`],
    ['an open bracket', () => '[::1'],
    ['bytes beyond ASCII', () => `ü${slugHost()}`],
  ])('%s', async (_what, host) => {
    expectRawError(await ask('/', `Host: ${host()}`), 400, 'invalid_request');
  });

  it('a user in an absolute target', async () => {
    expectRawError(await ask(`http://127.0.0.1@${slugHost()}/`, 'Host: 127.0.0.1'), 400, 'invalid_request');
  });

  it('two of them, and none in HTTP/1.1, as ever', async () => {
    expectRawError(await ask('/', 'Host: 127.0.0.1', `Host: ${slugHost()}`), 400);
    expectRawError(await ask(`http://${slugHost()}/`), 400);
  });
});

it.each(['', 'shop.example', `nobody.${PLATFORM_HOST}`, 'a, b'])(
  'serves health at any host: %j',
  async (host) => {
    for (const path of ['/health/live', '/health/ready'])
      expect((await ask(path, `Host: ${host}`)).status).toBe(200);
  },
);
