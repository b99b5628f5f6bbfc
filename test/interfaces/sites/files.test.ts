import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { rawDatabase } from '../../support/raw-database.js';
import { rawHead, sendRaw } from '../../support/raw-http.js';
import { createStore, publish, startPlatform, visit, type Store, type Visit } from './visitor.js';
import { useStarted } from '../../support/gateway.js';

const STYLE = 'body { color: teal }\n'.repeat(200);
const PHOTO = Buffer.from(Array.from({ length: 1000 }, (_, i) => (i * 7919) % 256));
const FILES = {
  'index.html': '<h1>Willkommen</h1>',
  '404.html': '<h1>Not in this shop</h1>',
  'style.css': STYLE,
  'photo.jpg': PHOTO,
  'assets/app.3f2a9c1b.js': 'export const version = 1;\n'.repeat(50),
  'about.html': 'about us',
  'both.html': 'the page',
  'both/index.html': 'the folder',
  'dogs/index.html': 'dogs',
  'dogs/rex & co.html': 'rex',
  'Grüße.txt': 'grüezi',
  'empty.txt': '',
  'v1/pets': 'no API',
  'logo.3f2a9c1b.png': PHOTO,
  'no-extension': Buffer.from([1, 2, 3]),
};

const gateway = useStarted(startPlatform);
let store: Store;
beforeAll(async () => {
  store = await createStore(gateway);
  await publish(gateway, store.project.id, FILES);
});

const get = (path: string, options: Visit = {}) => visit(gateway, store.host, path, options);
const tagOf = (content: string | Buffer) => createHash('sha256').update(content).digest('hex');

describe('an address names a file', () => {
  it.each([
    ['/', 'index.html', 'text/html; charset=utf-8'],
    ['/index.html', 'index.html', 'text/html; charset=utf-8'],
    ['/about', 'about.html', 'text/html; charset=utf-8'],
    ['/about.html', 'about.html', 'text/html; charset=utf-8'],
    ['/about?page=2', 'about.html', 'text/html; charset=utf-8'],
    ['/both', 'both.html', 'text/html; charset=utf-8'],
    ['/both/', 'both/index.html', 'text/html; charset=utf-8'],
    ['/dogs/', 'dogs/index.html', 'text/html; charset=utf-8'],
    ['/dogs/rex%20%26%20co', 'dogs/rex & co.html', 'text/html; charset=utf-8'],
    ['/Gr%C3%BC%C3%9Fe.txt', 'Grüße.txt', 'text/plain; charset=utf-8'],
    ['/Gru%CC%88%C3%9Fe.txt', 'Grüße.txt', 'text/plain; charset=utf-8'],
    ['/style.css', 'style.css', 'text/css; charset=utf-8'],
    ['/%73tyle.css', 'style.css', 'text/css; charset=utf-8'],
    ['/photo.jpg', 'photo.jpg', 'image/jpeg'],
    ['/empty.txt', 'empty.txt', 'text/plain; charset=utf-8'],
    ['/no-extension', 'no-extension', 'application/octet-stream'],
  ] as const)('%s is %s', async (path, file, contentType) => {
    const { status, headers, bytes } = await get(path);
    expect([status, headers['content-type']]).toEqual([200, contentType]);
    expect(bytes).toEqual(Buffer.from(FILES[file]));
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=0, must-revalidate',
      'x-content-type-options': 'nosniff',
      vary: 'Accept-Encoding',
      'content-length': String(bytes.length),
    });
    for (const name of ['set-cookie', 'access-control-allow-origin', 'x-ratelimit-limit', 'x-powered-by'])
      expect(headers).not.toHaveProperty(name);
  });

  it.each([
    ['/dogs', '/dogs/'],
    ['/dogs?a=1&b', '/dogs/?a=1&b'],
    ['/about/', '/about'],
    ['/dogs/rex%20%26%20co/', '/dogs/rex%20%26%20co'],
    ['/style.css/', '/style.css'],
  ])('%s leads to %s', async (path, location) => {
    const { status, headers } = await get(path);
    expect([status, headers.location, headers['cache-control']]).toEqual([
      308,
      location,
      'public, max-age=0, must-revalidate',
    ]);
  });

  it.each([
    '/nothing',
    '/About',
    '/dogs/nothing',
    '/..',
    '/../index.html',
    '/dogs/../index.html',
    '/dogs/%2e%2e/index.html',
    '/dogs/%2E%2E%2Findex.html',
    '/dogs%2frex%20%26%20co.html',
    '/dogs%5c..%5cindex.html',
    '/.%2f',
    '/./index.html',
    '/%2e/index.html',
    '//index.html',
    '//evil.example/..',
    '//dogs',
    '/dogs//',
    '/%252e%252e/index.html',
    '/%2573tyle.css',
    '/index.html%00',
    '/index.html%00.css',
    '/%c0%ae%c0%ae/index.html',
    '/%',
    '/%zz',
    '/%ff',
    '/constructor',
    '/__proto__',
    '/.env',
    '/.git/config',
    '/etc/passwd',
    '/docs',
    '/docs/openapi.yaml',
    '/dashboard',
    '/metrics',
    '/health',
  ])("%s names nothing: the site's own 404.html", async (path) => {
    const { status, headers, text } = await get(path, { headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([status, text, headers['content-type']]).toEqual([
      404,
      FILES['404.html'],
      'text/html; charset=utf-8',
    ]);
    expect(headers).not.toHaveProperty('etag');
  });

  it.each(['/v1', '/v1/pets', '/v1/pets/1', '/graphql/x'])(
    '%s is no page: the Error of the API',
    async (path) => {
      const { status, headers, text } = await get(path, { headers: { accept: 'text/html' } });
      expect([status, headers['content-type']?.split(';')[0]]).toEqual([404, 'application/json']);
      expect(text).toContain('"not_found"');
    },
  );

  it.each([
    ['a browser', { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' }, 'text/html'],
    ['an older browser', { accept: 'text/html,*/*;q=0.8' }, 'text/html'],
    ['curl, which takes anything', { accept: '*/*' }, 'text/html'],
    ['a script of a page that asks for HTML', { accept: 'text/html', 'sec-fetch-mode': 'cors' }, 'text/html'],
    ['a <script>', { accept: '*/*', 'sec-fetch-mode': 'no-cors' }, 'application/json'],
    ['an <img>', { accept: 'image/avif,*/*;q=0.8', 'sec-fetch-mode': 'no-cors' }, 'application/json'],
    ['a module', { accept: '*/*', 'sec-fetch-mode': 'cors' }, 'application/json'],
    ['a program that asks for JSON', { accept: 'application/json' }, 'application/json'],
  ])('for %s, a missing path is the right kind of 404', async (_who, headers, contentType) => {
    const answer = await get('/missing', { headers });
    expect([answer.status, answer.headers['content-type']?.split(';')[0]]).toEqual([404, contentType]);
    expect(answer.headers.vary).toContain('Accept, Sec-Fetch-Mode');
  });

  it('without a 404.html people get a plain page, programs the Error', async () => {
    const bare = await createStore(gateway);
    await publish(gateway, bare.project.id, { 'index.html': 'bare' });
    const page = await visit(gateway, bare.host, '/x', { headers: { accept: 'text/html' } });
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    const error = await visit(gateway, bare.host, '/x');
    expect(JSON.parse(error.text)).toMatchObject({ code: 'not_found', status: 404 });
  });
});

describe('methods', () => {
  it('HEAD is GET without the body', async () => {
    for (const path of ['/', '/photo.jpg', '/nothing']) {
      const [get_, head] = [await get(path), await get(path, { method: 'HEAD' })];
      expect([head.status, head.text]).toEqual([get_.status, '']);
      for (const name of ['content-type', 'content-length', 'etag', 'cache-control', 'vary'])
        expect(head.headers[name]).toBe(get_.headers[name]);
    }
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'])('%s is 405', async (method) => {
    const { status, headers, text } = await get('/', { method });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(JSON.parse(text)).toMatchObject({ code: 'method_not_allowed' });
  });
});

describe('conditional requests', () => {
  it.each([
    ['its tag', `"${tagOf(PHOTO)}"`],
    ['its tag, weak', `W/"${tagOf(PHOTO)}"`],
    ['its tag among others', `"x", "${tagOf(PHOTO)}"`],
    ['any', '*'],
  ])('If-None-Match with %s is 304', async (_how, tag) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers, text } = await get('/photo.jpg', {
        method,
        headers: { 'if-none-match': tag },
      });
      expect([status, text, headers.etag]).toEqual([304, '', `"${tagOf(PHOTO)}"`]);
      expect(headers).toMatchObject({
        'cache-control': 'public, max-age=0, must-revalidate',
        vary: 'Accept-Encoding',
      });
    }
  });

  it('another tag is answered whole', async () => {
    const { status, bytes } = await get('/photo.jpg', { headers: { 'if-none-match': '"other"' } });
    expect([status, bytes]).toEqual([200, PHOTO]);
  });

  it.each([
    ['its tag', `"${tagOf(PHOTO)}"`, 200],
    ['its tag among others', `"x", "${tagOf(PHOTO)}"`, 200],
    ['any', '*', 200],
    ['another tag', '"other"', 412],
    ['its tag, weak', `W/"${tagOf(PHOTO)}"`, 412],
  ])('If-Match with %s is %s', async (_how, tag, expected) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await get('/photo.jpg', { method, headers: { 'if-match': tag } });
      expect(status).toBe(expected);
      if (expected === 412) expect(headers['content-type']).toBe('application/json');
    }
  });

  it('If-Match comes before If-None-Match, and its error says what failed', async () => {
    const { status, text } = await get('/photo.jpg', {
      headers: { 'if-match': '"other"', 'if-none-match': `"${tagOf(PHOTO)}"` },
    });
    expect(status).toBe(412);
    expect(JSON.parse(text)).toMatchObject({ code: 'precondition_failed', status: 412 });
  });
});

describe('compression', () => {
  const compressed = (coding: string, path = '/style.css') =>
    get(path, { headers: { 'accept-encoding': coding } });
  const decode = { br: brotliDecompressSync, gzip: gunzipSync };

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['br', 'br'],
    ['*', 'br'],
    ['gzip, *;q=0', 'gzip'],
    ['gzip', 'gzip'],
    ['GZip;Q=0.5', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0.1', 'gzip'],
    ['br;q=0.2 , gzip;q=0.2', 'br'],
  ] as const)('Accept-Encoding: %s gets %s, under a tag of its own', async (accepted, coding) => {
    const { status, headers, bytes } = await compressed(accepted);
    expect([status, headers['content-encoding'], headers.vary]).toEqual([200, coding, 'Accept-Encoding']);
    expect(decode[coding](bytes).toString()).toBe(STYLE);
    const etag = `"${tagOf(STYLE)}-${coding}"`;
    expect([headers.etag, headers['content-length']]).toEqual([etag, String(bytes.length)]);
    const head = await get('/style.css', { method: 'HEAD', headers: { 'accept-encoding': accepted } });
    for (const name of ['etag', 'content-length', 'content-encoding', 'vary'])
      expect(head.headers[name]).toBe(headers[name]);

    const again = { 'accept-encoding': accepted, 'if-none-match': etag };
    expect((await get('/style.css', { headers: again })).status).toBe(304);
    expect((await get('/style.css', { headers: { 'if-none-match': etag } })).status).toBe(200);
    expect((await get('/style.css', { headers: { ...again, 'if-match': etag } })).status).toBe(304);
    expect((await get('/style.css', { headers: { 'if-match': etag } })).status).toBe(412);
  });

  it.each([
    'identity',
    'deflate',
    'gzip;q=0',
    'gzip;q=2',
    '',
    'br;q=0.1, identity;q=0.9',
    'gzip,'.repeat(300),
  ])('Accept-Encoding: %j gets the plain bytes', async (accepted) => {
    const { headers, text } = await compressed(accepted);
    expect(headers).not.toHaveProperty('content-encoding');
    expect([text, headers.etag, headers.vary]).toEqual([STYLE, `"${tagOf(STYLE)}"`, 'Accept-Encoding']);
  });

  it('the 404 page is compressed too; a picture is not', async () => {
    const own = await createStore(gateway);
    const page = 'Nothing here. '.repeat(100);
    await publish(gateway, own.project.id, { 'index.html': 'i', '404.html': page, 'photo.jpg': PHOTO });
    const headers = { 'accept-encoding': 'br', accept: 'text/html' };
    const missing = await visit(gateway, own.host, '/nothing', { headers });
    expect([missing.status, missing.headers['content-encoding']]).toEqual([404, 'br']);
    expect(brotliDecompressSync(missing.bytes).toString()).toBe(page);
    const photo = await visit(gateway, own.host, '/photo.jpg', { headers });
    expect([photo.bytes, photo.headers['content-encoding']]).toEqual([PHOTO, undefined]);
  });

  it('a file whose only compressed copy is gzip is sent as gzip', async () => {
    const own = await createStore(gateway);
    const text = 'only gzip is worth it '.repeat(50);
    await publish(gateway, own.project.id, { 'index.html': text });
    const database = await rawDatabase(gateway);
    const { modifiedCount } = await database
      .collection('deployFiles')
      .updateOne({ sha256: tagOf(text) }, { $unset: { brotli: 1 } });
    await database.close();
    expect(modifiedCount).toBe(1);
    const { bytes, headers } = await visit(gateway, own.host, '/', {
      headers: { 'accept-encoding': 'gzip, br' },
    });
    expect([gunzipSync(bytes).toString(), headers.etag]).toEqual([text, `"${tagOf(text)}-gzip"`]);
  });
});

test('a file with a hash in its name is immutable, compressed or not, and with 304 and 206', async () => {
  const path = '/assets/app.3f2a9c1b.js';
  const tag = tagOf(FILES['assets/app.3f2a9c1b.js']);
  for (const [headers, expected] of [
    [{}, 200],
    [{ 'accept-encoding': 'br' }, 200],
    [{ 'if-none-match': `"${tag}"` }, 304],
    [{ range: 'bytes=0-3' }, 206],
  ] as const) {
    const answer = await get(path, { headers });
    expect([answer.status, answer.headers['cache-control']]).toEqual([
      expected,
      'public, max-age=31536000, immutable',
    ]);
  }
});

describe('parts of a file', () => {
  const part = (range: string, headers: Record<string, string> = {}, path = '/photo.jpg') =>
    get(path, { headers: { range, ...headers } });

  it.each([
    ['bytes=0-9', 0, 10],
    ['bytes=990-', 990, 1000],
    ['bytes=-10', 990, 1000],
    ['bytes=900-5000', 900, 1000],
    ['bytes=0-1,2-3', 0, 4],
  ])('Range: %s is bytes %i to %i', async (range, from, to) => {
    const { status, headers, bytes } = await part(range, { 'accept-encoding': 'gzip' });
    expect([status, headers['content-range']]).toEqual([206, `bytes ${from}-${to - 1}/1000`]);
    expect(bytes).toEqual(PHOTO.subarray(from, to));
  });

  it.each(['bytes=a-b', 'bytes=0-1,50-60', 'lines=1-2', 'x'])(
    'Range: %s is no single part: the whole file',
    async (range) => {
      const { status, bytes } = await part(range);
      expect([status, bytes]).toEqual([200, PHOTO]);
    },
  );

  it.each([
    ['/photo.jpg', 'bytes=1000-', 1000],
    ['/photo.jpg', 'bytes=5-1', 1000],
    ['/empty.txt', 'bytes=0-0', 0],
  ])('%s has no %s: 416', async (path, range, size) => {
    const { status, headers, text } = await part(range, {}, path);
    expect([status, headers['content-range'], text]).toEqual([416, `bytes */${size}`, '']);
  });

  it('is part of the plain bytes, and If-Range requires exactly these bytes', async () => {
    const compressed = { 'accept-encoding': 'gzip' };
    expect((await part('bytes=0-3', compressed, '/style.css')).text).toBe('body');
    expect((await part('bytes=0-3', { 'if-range': `"${tagOf(PHOTO)}"` })).status).toBe(206);
    for (const other of ['"other"', `W/"${tagOf(PHOTO)}"`, 'Sat, 21 Nov 2026 00:00:00 GMT'])
      expect((await part('bytes=0-3', { 'if-range': other })).status).toBe(200);
    expect((await get('/photo.jpg', { method: 'HEAD', headers: { range: 'bytes=0-3' } })).status).toBe(200);
  });
});

describe('hostile targets', () => {
  it.each(['/\\..\\index.html', '/a\tb', '/#index.html', '*', '/index.html#x'])(
    '%j names nothing',
    async (target) => {
      const { status } = await sendRaw(
        gateway.url,
        rawHead(`GET ${target} HTTP/1.1`, `Host: ${store.host}`, 'Connection: close'),
      );
      expect([400, 404]).toContain(status);
    },
  );
});
