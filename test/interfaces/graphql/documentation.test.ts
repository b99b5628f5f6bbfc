import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, validate } from 'graphql';
import { useGateway } from '../../support/gateway.js';
import { mustRun } from '../../support/run-program.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';
import type { GraphQLBody } from './client.js';
import { PUBLIC_SCHEMA } from './measure.js';

const PAGE = readFileSync(join(__dirname, '../../../docs/graphql.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/^```graphql\n(.*?)^```$/gms)].map(([, text = '']) => text);

test('the requests in docs/graphql.md work', () => {
  expect(EXAMPLES.length).toBeGreaterThan(0);
  for (const example of EXAMPLES) expect(validate(PUBLIC_SCHEMA, parse(example))).toEqual([]);
});

const gateway = useGateway();
const folder = useTemporaryFolder();

test('the form in docs/graphql.md adds an animal once, and shows each fault at its field', async () => {
  const { secret } = await gateway.keyOn('pro');
  const [backend = '', page = ''] = codeUnder('### A form that creates animals');
  await writeFile(join(folder(), 'route.mjs'), backend);
  const program = `
    import { POST } from './route.mjs';
    const send = fetch;
    // What the page sends arrives at the backend; what the backend sends, at the gateway.
    globalThis.fetch = (url, init) =>
      url === '/api/animals' ? POST(new Request('http://shop.example' + url, init)) : send(url, init);
    const shown = [];
    const form = { reset: () => shown.push('reset') };
    const show = (faults) => shown.push(faults);
    let fields = {};
    globalThis.FormData = class { *[Symbol.iterator]() { yield* Object.entries(fields); } };
    ${page}
    fields = { name: ' ', categoryId: '2' };
    await submit(form, show);
    fields = { name: 'Ada', categoryId: 'x' };
    await submit(form, show);
    fields = { name: 'Ada', categoryId: '2', status: 'lost' };
    await submit(form, show);
    fields = { name: 'Ada', categoryId: '9007199254740993' };
    await submit(form, show);
    console.log(JSON.stringify(shown));`;
  await writeFile(join(folder(), 'test.mjs'), program);
  const output = await mustRun(process.execPath, ['test.mjs'], {
    cwd: folder(),
    env: { API_KEY: secret, GATEWAY_URL: gateway.url },
  });
  expect(JSON.parse(output)).toEqual([
    { name: 'must not be blank' },
    { categoryId: expect.stringMatching('integer') as string },
    { status: expect.any(String) as string },
    {},
    'reset',
  ]);
  const { pets } = await gateway.services.petsStore.list({ limit: 10 });
  expect(pets).toMatchObject([{ name: 'Ada', categoryId: 9007199254740993n }]);
});

describe('the status and the cost of a response, as docs/graphql.md says', () => {
  const PLANS = JSON.stringify({ query: '{ plans { id } }' });
  const plans = (times: number) =>
    JSON.stringify({
      query: `{ ${Array.from({ length: times }, (_, i) => `p${i}: plans { id }`).join(' ')} }`,
    });
  const SIXTY = plans(60);
  const json = 'application/json';
  const rejected: [
    number,
    string,
    { method?: string; body?: string; type?: string; used?: boolean; key?: string },
  ][] = [
    [400, 'invalid_request', { body: '{' }],
    [400, 'query_too_costly', { body: plans(70) }],
    [401, 'invalid_api_key', { body: PLANS, key: 'wrong' }],
    [405, 'method_not_allowed', { method: 'PUT', body: PLANS }],
    [413, 'payload_too_large', { body: JSON.stringify({ query: ' '.repeat(70_000) }) }],
    [415, 'unsupported_media_type', { body: PLANS, type: 'text/plain' }],
    [429, 'rate_limit_exceeded', { body: PLANS, used: true }],
  ];
  const send = async ({
    method = 'POST',
    body,
    type = json,
    used = false,
    key,
  }: (typeof rejected)[number][2]) => {
    const { secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 60, requestsPerDay: 100 });
    if (used)
      await gateway.request('/graphql', {
        method: 'POST',
        key: secret,
        body: SIXTY,
        headers: { 'content-type': json },
      });
    return gateway.request('/graphql', {
      method,
      key: key ?? secret,
      ...(body !== undefined && { body }),
      headers: { 'content-type': type, accept: json },
    });
  };

  test.each(rejected)(
    '%i %s: the status of the response, without extensions.cost',
    async (status, code, request) => {
      const answer = await send(request);
      const { errors, extensions } = (await answer.json()) as GraphQLBody;
      expect([answer.status, errors?.[0]?.extensions.code, extensions?.cost]).toEqual([
        status,
        code,
        undefined,
      ]);
      expect(answer.headers.get('x-ratelimit-limit')).toMatch(/^[0-9]+$/);
      expect(/With either type, (.*)/.exec(PAGE)?.[1]).toContain(String(status));
    },
  );

  test.each(['{ plans { id } }', '{ nothing }', '{ apiKeys { pageInfo { endCursor } } }'])(
    '%s: 200 with extensions.cost',
    async (query) => {
      const answer = await send({ body: JSON.stringify({ query }) });
      const { extensions } = (await answer.json()) as GraphQLBody;
      expect([answer.status, extensions?.cost.requested]).toEqual([200, 1]);
    },
  );
});

/** The JavaScript blocks below a heading, up to the next one. */
function codeUnder(heading: string): string[] {
  const part = PAGE.split(`\n${heading}\n`)[1]?.split(/\n##/)[0] ?? '';
  return Array.from(part.matchAll(/^```js\n(.*?)^```$/gms), ([, code = '']) => code);
}
