import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { runCommand } from '../../support/command-line.js';
import { expectCommonHeaders } from '../../support/expect-answer.js';
import { useGateway } from '../../support/gateway.js';
import type { ApiResponse, OpenApiDocument } from '../../support/openapi-document.js';

const committed = (name: string) => readFile(join(__dirname, '../../../schema', name), 'utf8');
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const gateway = useGateway();

describe('without a key', () => {
  it.each([
    ['/docs', 'text/html; charset=utf-8'],
    ['/docs/graphql', 'text/html; charset=utf-8'],
    ['/docs/images/logo.svg', 'image/svg+xml'],
    ['/docs/pages.css', 'text/css; charset=utf-8'],
    ['/docs/paw.svg', 'image/svg+xml'],
    ['/favicon.ico', 'image/svg+xml'],
    ['/docs/reference', 'text/html; charset=utf-8'],
    ['/docs/reference/page.css', 'text/css; charset=utf-8'],
    ['/docs/reference/before.js', 'text/javascript; charset=utf-8'],
    ['/docs/reference/start.js', 'text/javascript; charset=utf-8'],
    ['/docs/reference/scalar.js', 'text/javascript; charset=utf-8'],
    ['/docs/reference/openapi.json', 'application/json'],
    ['/docs/openapi.yaml', 'application/yaml'],
    ['/docs/openapi.json', 'application/json'],
    ['/docs/schema.graphql', 'text/plain; charset=utf-8'],
    ['/docs/graphiql/start.js', 'text/javascript; charset=utf-8'],
    ['/docs/graphiql/introspection.json', 'application/json'],
    ['/docs/graphiql/page.css', 'text/css; charset=utf-8'],
    ['/docs/graphiql/graphiql.css', 'text/css; charset=utf-8'],
    ['/docs/graphiql/graphql.worker.js', 'text/javascript; charset=utf-8'],
  ])('%s is there, safe, and a 304 the next time', async (path, contentType) => {
    const first = await gateway.request(path);
    expect(first.status).toBe(200);
    expect(Object.fromEntries(first.headers)).toMatchObject({
      'content-type': contentType,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      // A page with the address of the request's host is for that client only.
      'cache-control': expect.stringMatching(
        /^\/docs\/(graphql$|openapi\.)/.test(path)
          ? /^private, no-cache$/
          : /^public, (no-cache|max-age=31536000, immutable)$/,
      ) as string,
    });
    expect((await first.text()).length).toBeGreaterThan(0);
    const headers = { 'if-none-match': first.headers.get('etag') ?? '', 'cache-control': 'max-age=0' };
    const second = await gateway.request(path, { headers });
    expect([second.status, await second.text()]).toEqual([304, '']);
  });

  it('pages may be framed by nobody and run no inline script', async () => {
    for (const path of ['/', '/docs/reference', '/graphql']) {
      const answer = await gateway.request(path, { headers: { accept: BROWSER } });
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/script-src (?!'none')|unsafe-eval/);
      expect(await answer.text()).not.toMatch(/<script>|<style>|https?:\/\//);
    }
  });

  it('/docs/ leads to /docs, and what is not there needs a key as everywhere', async () => {
    const answer = await gateway.request('/docs/', { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([308, '../docs']);
    expect((await gateway.request('/docs/')).url).toBe(`${gateway.url}/docs`);
    for (const path of ['/docs/nothing', '/docs/../package.json', '/docs/%2e%2e/package.json'])
      expect((await gateway.request(path)).status).toBe(401);
    expect((await gateway.request('/docs', { method: 'POST' })).status).toBe(401);
  });

  it.each(['/openapi.json', '/v1/openapi.json', '/openapi.yaml', '/v1/openapi.yaml'])(
    '%s leads to the document',
    async (path) => {
      const answer = await gateway.request(path);
      expect([answer.status, answer.url]).toEqual([
        200,
        `${gateway.url}/docs/${path.slice(path.lastIndexOf('/') + 1)}`,
      ]);
      expect(parse(await answer.text())).toMatchObject({ openapi: '3.1.0' });
    },
  );

  it('the documents are those of schema/, with this gateway as server', async () => {
    const text = (await committed('openapi.yaml')).replaceAll('http://127.0.0.1:3000', gateway.url);
    const server = { url: `${gateway.url}/v1`, description: expect.any(String) as string };
    const served = { ...(parse(text) as object), servers: [server] };
    expect(parse(await (await gateway.request('/docs/openapi.yaml')).text())).toEqual(served);
    expect(await (await gateway.request('/docs/openapi.json')).json()).toEqual(served);
    expect(await (await gateway.request('/docs/schema.graphql')).text()).toBe(
      await committed('schema.graphql'),
    );
  });

  it('the document of the reference has the headers of every response once', async () => {
    const served = (await (await gateway.request('/docs/openapi.json')).json()) as OpenApiDocument;
    const shown = (await (await gateway.request('/docs/reference/openapi.json')).json()) as typeof served & {
      info: { description: string };
    };
    const headersOf = ({ paths }: typeof served) =>
      Object.keys((paths['/pets']?.['post']?.responses['409'] as ApiResponse).headers ?? {});
    const common = headersOf(served).filter((name) => name !== 'Retry-After');
    expect(common).toContain('X-RateLimit-Remaining');
    expect(headersOf(shown)).toEqual(['Retry-After']);
    for (const name of common) expect(shown.info.description.split(`\n| \`${name}\` |`)).toHaveLength(2);
  });
});

describe('GET /', () => {
  it.each([
    ['a browser', BROWSER, 200, 'text/html; charset=utf-8'],
    ['a program', 'application/json', 401, 'application/json'],
    ['any Accept', '*/*', 401, 'application/json'],
    ['JSON at least as welcome', 'application/json, text/html', 401, 'application/json'],
  ])('%s', async (_, accept, status, type) => {
    const answer = await gateway.request('/', { headers: { accept } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
    expect(answer.headers.get('vary')).toContain('Accept');
  });

  it('with a key, a program gets what an unknown path gets, and a page costs nothing', async () => {
    const { secret } = await gateway.keyOn('free');
    await gateway.request('/', { key: secret, headers: { accept: BROWSER } });
    const answer = await gateway.request('/', { key: secret });
    expect([answer.status, answer.headers.get('x-ratelimit-remaining')]).toEqual([404, '59']);
  });
});

describe('GET /graphql', () => {
  const get = (path: string, accept: string, key?: string) =>
    gateway.request(path, { headers: { accept }, ...(key !== undefined && { key }) });

  it('is GraphiQL for a browser, with the rate limit headers of the client', async () => {
    const answer = await get('/graphql', BROWSER);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expectCommonHeaders(answer);
    expect((await gateway.request('/graphql', { method: 'HEAD', headers: { accept: BROWSER } })).status).toBe(
      200,
    );
  });

  it.each([
    ['a query', '/graphql?query={plans{id}}', BROWSER],
    ['an empty query', '/graphql?query=', BROWSER],
    ['another Accept', '/graphql', 'application/json'],
    ['any Accept', '/graphql', '*/*'],
    ['JSON at least as welcome', '/graphql', 'application/json, text/html'],
  ])('is the interface itself with %s', async (_, path, accept) => {
    const answer = await get(path, accept);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toMatch(/json/);
  });

  it('costs a key nothing', async () => {
    const { secret } = await gateway.keyOn('free');
    for (const path of ['/graphql', '/docs', '/docs/openapi.json']) await get(path, BROWSER, secret);
    expect((await gateway.request('/v1/pets', { key: secret })).headers.get('x-ratelimit-remaining')).toBe(
      '59',
    );
  });
});

describe('npx pets-gateway schema', () => {
  // Nothing listens there: the command must not ask.
  const nowhere = { uri: 'mongodb://127.0.0.1:1/none' };

  it.each([
    [['schema'], 'schema.graphql'],
    [['schema', 'graphql'], 'schema.graphql'],
    [['schema', 'openapi'], 'openapi.yaml'],
  ])('%j prints %s', async (args, file) => {
    expect(await runCommand(nowhere, args)).toEqual({ code: 0, stdout: await committed(file), stderr: '' });
  });

  it('prints JSON for programs', async () => {
    const { stdout } = await runCommand(nowhere, ['schema', 'openapi', '--json']);
    expect(JSON.parse(stdout)).toEqual(parse(await committed('openapi.yaml')));
  });

  it('refuses anything else as wrong usage', async () => {
    expect((await runCommand(nowhere, ['schema', 'soap'])).code).toBe(2);
  });
});
