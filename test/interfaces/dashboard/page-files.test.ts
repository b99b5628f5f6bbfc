import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import express from 'express';
import { dashboard } from '../../../src/interfaces/dashboard/dashboard.js';
import { assignRequestId } from '../../../src/http/steps/assign-request-id.js';
import { renderError } from '../../../src/http/answers/render-error.js';
import { visit } from '../sites/visitor.js';
import { startGateway, useGateway } from '../../support/gateway.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';
import { refusalOf } from './client.js';

/** How the files that the build made come to a browser; which they are is shown by the tests of the page itself. */
const gateway = useGateway();

const folder = useTemporaryFolder();
let server: Server | undefined;
afterEach(() => server?.close());

/** The dashboard alone, over this folder. */
async function serve(files: Record<string, string>): Promise<{ url: string }> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder(), name, '..'), { recursive: true });
    await writeFile(join(folder(), name), text);
  }
  const app = express();
  app.use(assignRequestId(gateway.services.log, false));
  app.use(dashboard(gateway.services, folder()));
  app.use(renderError(gateway.services));
  const listening = (server = createServer(app).listen(0, '127.0.0.1'));
  await new Promise((resolve) => listening.once('listening', resolve));
  return { url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}` };
}

const SCRIPT = `console.log('main');`.repeat(100);
const BUILT = {
  'index.html': '<!doctype html><title>Dashboard</title>',
  'assets/main-AB12CD34.js': SCRIPT,
  'assets/main-AB12CD34.css': 'body { color: green }',
  'assets/paw-QWERTY12.svg': '<svg/>',
  'assets/plain.js': 'plain',
  'secret.txt': 'not for browsers',
};
const get = (at: { url: string }, path: string, headers: Record<string, string> = {}, method = 'GET') =>
  visit(at, 'localhost', path, { method, headers });

test.each([
  '/dashboard',
  '/dashboard/',
  '/dashboard?next=keys',
  '/dashboard/projects/prj_1/domains',
  '/dashboard/session/',
  '/dashboard/%2e%2e/%2e%2e/etc/passwd',
])('%s is the page, asked about each time', async (path) => {
  const answer = await get(await serve(BUILT), path);
  expect([answer.status, answer.text]).toEqual([200, BUILT['index.html']]);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'public, no-cache',
  });
});

test('hashed files are cached permanently, others are not', async () => {
  const at = await serve(BUILT);
  const seen = await Promise.all(
    ['main-AB12CD34.js', 'main-AB12CD34.css', 'paw-QWERTY12.svg', 'plain.js'].map(async (name) => {
      const { headers } = await get(at, `/dashboard/assets/${name}`);
      return [headers['content-type'], headers['cache-control']];
    }),
  );
  const forEver = 'public, max-age=31536000, immutable';
  expect(seen).toEqual([
    ['text/javascript; charset=utf-8', forEver],
    ['text/css; charset=utf-8', forEver],
    ['image/svg+xml', forEver],
    ['text/javascript; charset=utf-8', 'public, no-cache'],
  ]);
});

test('compressed as the client accepts, and 304 if it has the file', async () => {
  const at = await serve(BUILT);
  const path = '/dashboard/assets/main-AB12CD34.js';
  for (const [accepts, coding] of [
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['identity', undefined],
  ] as const) {
    const { headers, bytes } = await get(at, path, { 'accept-encoding': accepts });
    expect(headers['content-encoding']).toBe(coding);
    expect(bytes.length).toBe(Number(headers['content-length']));
    expect(bytes.length < SCRIPT.length).toBe(coding !== undefined);
    expect(headers.vary).toContain('Accept-Encoding');
    const again = await get(at, path, { 'accept-encoding': accepts, 'if-none-match': headers.etag ?? '' });
    expect([again.status, again.text]).toEqual([304, '']);
  }
  const { headers, text } = await get(at, path, {}, 'HEAD');
  expect([headers['content-length'], text]).toEqual([String(SCRIPT.length), '']);
});

test.each([
  '/dashboard/assets/none-AB12CD34.js',
  '/dashboard/assets/',
  '/dashboard/assets/../index.html',
  '/dashboard/index.html',
  '/dashboard/secret.txt',
  '/dashboard/assets/%2e%2e/secret.txt',
  '/dashboard/assets/..%2fsecret.txt',
  '/dashboard/favicon.ico',
])('%s is 404 in the form of an Error', async (path) => {
  const answer = await get(await serve(BUILT), path);
  expect(refusalOf(answer)).toEqual([404, 'not_found']);
  expect(answer.headers['content-type']).toBe('application/json');
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is not for files', async (method) => {
  const at = await serve(BUILT);
  for (const path of ['/dashboard', '/dashboard/keys', '/dashboard/assets/main-AB12CD34.js']) {
    const { status, headers } = await get(at, path, {}, method);
    expect([status, headers.allow]).toEqual([method === 'OPTIONS' ? 204 : 405, 'GET, HEAD, OPTIONS']);
  }
});

test('the headers isolate the page', async () => {
  const { headers } = await get(await serve(BUILT), '/dashboard');
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': expect.stringContaining('camera=()') as string,
  });
  const policy = new Map(
    String(headers['content-security-policy'])
      .split('; ')
      .map((directive) => [directive.split(' ', 1)[0], directive.split(' ').slice(1).join(' ')]),
  );
  expect(Object.fromEntries(policy)).toEqual({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'form-action': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
    'object-src': "'none'",
  });
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
});

test('a build made meanwhile is for the next start: no page comes with the files of another', async () => {
  const at = await serve(BUILT);
  await writeFile(join(folder(), 'index.html'), 'another');
  await writeFile(join(folder(), 'assets', 'main-AB12CD34.js'), 'another');
  expect((await get(at, '/dashboard')).text).toBe(BUILT['index.html']);
  expect((await get(at, '/dashboard/assets/main-AB12CD34.js')).text).toBe(SCRIPT);
});

test('before the page is built, the log and the answer say how to, and sessions work', async () => {
  const at = await serve({});
  const answer = await get(at, '/dashboard');
  expect(refusalOf(answer)).toEqual([404, 'not_found']);
  expect(answer.text).toContain('npm run build');
  expect(gateway.logLines.join('')).toContain('run `npm run build`');
  expect((await get(at, '/dashboard/session')).status).toBe(401);
});

test('requires no key and costs no quota; paths outside /dashboard require a key', async () => {
  const { secret } = await gateway.keyOn('free');
  await gateway.request('/dashboard', { key: secret });
  await gateway.request('/dashboard', { key: 'nonsense' });
  expect((await gateway.request('/v1/pets', { key: secret })).headers.get('x-ratelimit-remaining')).toBe(
    '59',
  );
  for (const path of ['/dashboards', '/dashboard.html', '/Dashboard'])
    expect((await gateway.request(path)).status).toBe(401);
});

test('rejected like everything else during overload', async () => {
  const busy = await startGateway({ env: { MAX_REQUESTS_IN_FLIGHT: '1' }, beside: gateway });
  try {
    const taken = busy.services.load.enter();
    expect(taken).toBeDefined();
    for (const path of ['/dashboard', '/dashboard/session'])
      expect((await busy.request(path)).status).toBe(503);
    taken?.leave();
    expect((await busy.request('/dashboard/session')).status).toBe(401);
  } finally {
    await busy.close();
  }
});
