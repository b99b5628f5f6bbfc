import { createStore, publish, startPlatform, visit, type Store, type Visit } from './visitor.js';
import { useStarted } from '../../support/gateway.js';

const JSON_TYPE = 'application/json; charset=utf-8';
const FILES = {
  'index.html': 'home',
  '404.html': 'no such page',
  'apple-app-site-association': '{}',
  'openid-configuration': '{}',
  '.well-known/security.txt': 'Contact: mailto:a@shop.example',
  '.well-known/assetlinks.json': '[]',
  '.well-known/apple-app-site-association': '{}',
  '.well-known/openid-configuration': '{}',
  '.well-known/openid-configuration-notes': 'x',
  '.well-known/oauth-authorization-server/shop': '{}',
  '.well-known/matrix/client': '{}',
  '.well-known/matrix/server': '{}',
  '.well-known/matrix/notes.txt': 'x',
  '.well-known/webfinger': '{}',
  '.well-known/webauthn': '{}',
};

const gateway = useStarted(startPlatform);
let store: Store;
beforeAll(async () => {
  store = await createStore(gateway);
  await publish(gateway, store.project.id, FILES);
});

const get = (path: string, options: Visit = {}) => visit(gateway, store.host, path, options);

test.each([
  ['/.well-known/security.txt', 'text/plain; charset=utf-8'],
  ['/.well-known/assetlinks.json', JSON_TYPE],
  ['/.well-known/apple-app-site-association', JSON_TYPE],
  ['/apple-app-site-association', JSON_TYPE],
  ['/.well-known/openid-configuration', JSON_TYPE],
  ['/.well-known/oauth-authorization-server/shop', JSON_TYPE],
  ['/.well-known/matrix/client', JSON_TYPE],
  ['/.well-known/matrix/server', JSON_TYPE],
  ['/.well-known/matrix/notes.txt', 'text/plain; charset=utf-8'],
  ['/.well-known/webfinger', 'application/jrd+json; charset=utf-8'],
  ['/.well-known/webauthn', JSON_TYPE],
  ['/.well-known/openid-configuration-notes', 'application/octet-stream'],
  ['/openid-configuration', 'application/octet-stream'],
])('%s has the type %s', async (path, type) => {
  const { status, headers } = await get(path);
  expect([status, headers['content-type']]).toEqual([200, type]);
});

test.each([
  ['a file', '/.well-known/matrix/client', {}, 200],
  ['a file that the page has', '/.well-known/matrix/client', { 'if-none-match': '*' }, 304],
  ['a missing file', '/.well-known/nothing', {}, 404],
  ['a missing file, for a program', '/.well-known/nothing', { accept: 'application/json' }, 404],
  ['a redirect', '/.well-known/matrix/client/', {}, 308],
])('a page of another origin can read %s', async (_what, path, headers, expected) => {
  const answer = await get(path, { headers: { origin: 'https://chat.example', ...headers } });
  expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([expected, '*']);
  expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
});

test('answers the preflight request of a page that sends headers of its own', async () => {
  const preflight = { origin: 'https://chat.example', 'access-control-request-method': 'GET' };
  const answer = await get('/.well-known/openid-configuration', { method: 'OPTIONS', headers: preflight });
  expect([answer.status, answer.text]).toEqual([204, '']);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD',
    'access-control-allow-headers': '*',
  });
  for (const [path, headers] of [
    ['/.well-known/openid-configuration', {}],
    ['/index.html', preflight],
  ] as const)
    expect((await get(path, { method: 'OPTIONS', headers })).status).toBe(405);
});

test.each(['/', '/.well-known', '/openid-configuration', '/nothing'])(
  'a page of another origin cannot read %s',
  async (path) => {
    const { headers } = await get(path, { headers: { origin: 'https://chat.example' } });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  },
);
