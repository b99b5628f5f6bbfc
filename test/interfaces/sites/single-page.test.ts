import { brotliDecompressSync } from 'node:zlib';
import { createStore, publish, startPlatform, visit, type Store, type Visit } from './visitor.js';
import { useStarted } from '../../support/gateway.js';

const APP = '<div id="app"></div>'.repeat(20);
const FILES = {
  'index.html': APP,
  '404.html': 'not here',
  'about.html': 'about us',
  'app.js': 'start()',
  'docs/index.html': 'the docs',
};
/** As Chromium sends it for a page. */
const PAGE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', 'sec-fetch-mode': 'navigate' };

const gateway = useStarted(startPlatform);
let store: Store;
beforeAll(async () => {
  store = await createStore(gateway);
  await publish(gateway, store.project.id, FILES, { spa: true });
});

const open = (path: string, { headers = {}, ...options }: Visit = {}) =>
  visit(gateway, store.host, path, { headers: { ...PAGE, ...headers }, ...options });

it.each(['/animals', '/animals/42', '/animals/42?tab=photos', '/a.b/animals', '/d%C3%B6gs', '/docs/intro'])(
  'a browser that opens %s gets index.html',
  async (path) => {
    const { status, text, headers } = await open(path);
    expect([status, text]).toEqual([200, APP]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=0, must-revalidate',
      vary: 'Accept, Sec-Fetch-Mode, Accept-Encoding',
    });
  },
);

it('an older browser, without Sec-Fetch-Mode, gets it too', async () => {
  const { accept } = PAGE;
  expect((await visit(gateway, store.host, '/animals', { headers: { accept } })).text).toBe(APP);
});

it('HEAD, conditional and compressed requests work as for a file', async () => {
  const { status, headers, bytes } = await open('/animals', { headers: { 'accept-encoding': 'br' } });
  expect([status, headers['content-encoding']]).toEqual([200, 'br']);
  expect(brotliDecompressSync(bytes).toString()).toBe(APP);
  const head = await open('/animals', { method: 'HEAD', headers: { 'accept-encoding': 'br' } });
  expect([head.status, head.text, head.headers.etag]).toEqual([200, '', headers.etag]);
  const again = { 'accept-encoding': 'br', 'if-none-match': headers.etag ?? '' };
  expect((await open('/animals', { headers: again })).status).toBe(304);
});

it.each([
  ['/about', 200, 'about us'],
  ['/docs/', 200, 'the docs'],
  ['/app.js', 200, 'start()'],
  ['/docs', 308, ''],
])('%s is a file as ever', async (path, expected, body) => {
  const { status, text } = await open(path);
  expect([status, text]).toEqual([expected, body]);
});

it.each([
  ['a missing script', '/old-app.js', {}],
  ['a missing picture whose dot is encoded', '/animals/rex%2ejpg', {}],
  ['a page with an extension', '/animals.html', {}],
  ['a path that no file can have', '/animals/%00/..', {}],
  ['what a script of a page asks for', '/animals', { 'sec-fetch-mode': 'cors' }],
])('%s is missing: 404.html', async (_what, path, headers) => {
  const { status, text, headers: answered } = await open(path, { headers });
  expect([status, text]).toEqual([404, 'not here']);
  // A cache must not give this to a browser that opens the same address.
  expect(answered.vary).toBe('Accept, Sec-Fetch-Mode, Accept-Encoding');
});

it.each([
  ['a program that takes anything', '/animals', '*/*', 'text/html'],
  ['a program that wants JSON', '/animals', 'application/json', 'application/json'],
  ['a browser below /v1', '/v1/pets', PAGE.accept, 'application/json'],
  ['a browser below /graphql', '/graphql/x', PAGE.accept, 'application/json'],
])('%s at %s gets 404', async (_who, path, accept, contentType) => {
  const { status, headers, text } = await visit(gateway, store.host, path, { headers: { accept } });
  expect([status, headers['content-type']?.split(';')[0]]).toEqual([404, contentType]);
  expect(text).not.toBe(APP);
});

it('only what is read has the page: POST is 405', async () => {
  expect((await open('/animals', { method: 'POST' })).status).toBe(405);
});

it('belongs to a deploy: one without the option has 404, and a rollback brings it back', async () => {
  const own = await createStore(gateway);
  const statusOf = async (host: string) => (await visit(gateway, host, '/animals', { headers: PAGE })).status;
  const first = await publish(gateway, own.project.id, FILES, { spa: true });
  expect(await statusOf(own.host)).toBe(200);
  await publish(gateway, own.project.id, FILES);
  expect(await statusOf(own.host)).toBe(404);
  await gateway.services.administration({ role: 'command line' }).rollbackDeploy(own.project.id, first.id);
  expect(await statusOf(own.host)).toBe(200);
});
