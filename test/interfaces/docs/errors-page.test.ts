import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_STATUS } from '../../../src/lib/errors.js';
import { askGraphQL } from '../graphql/client.js';
import { rawHead, sendRaw } from '../../support/raw-http.js';
import { useGateway } from '../../support/gateway.js';

const PAGE = join(__dirname, '../../../docs/errors.md');

test('each error code has its anchor and its status on the page, and the page has no other code', () => {
  const found = Array.from(
    readFileSync(PAGE, 'utf8').matchAll(/^<a id="(\w+)"><\/a>\n\n## `(\w+)`: status (\d+)$/gm),
    ([, anchor, code, status]) => ({ anchor, code, status: Number(status) }),
  );
  expect(found).toEqual(
    Object.entries(ERROR_STATUS).map(([code, status]) => ({ anchor: code, code, status })),
  );
});

describe.each([
  ['without PUBLIC_URL', undefined],
  ['with PUBLIC_URL', 'https://api.example.com'],
])('%s', (_when, publicUrl) => {
  const gateway = useGateway(publicUrl === undefined ? {} : { env: { PUBLIC_URL: publicUrl } });
  let key: string;
  let base: string;
  beforeAll(async () => {
    key = (await gateway.keyOn('business')).secret;
    base = publicUrl ?? gateway.url;
    for (const name of ['Rex', 'Mia'])
      await gateway.services.pets.create({ name, categoryId: 7n, status: 'available' }, undefined);
  });

  test('an error of REST links to its code on a page that is served', async () => {
    const { docUrl } = (await (await gateway.request('/v1/pets?limit=0', { key })).json()) as {
      docUrl: string;
    };
    expect(docUrl).toBe(`${base}/docs/errors#invalid_request`);
    const page = await gateway.request(new URL(docUrl, gateway.url).pathname);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<a id="invalid_request"></a>');
  });

  test('so do errors of GraphQL: in a document, in execution and for the whole request', async () => {
    const docUrlsOf = async (query: string, secret = key) =>
      (await askGraphQL(gateway, secret, query)).errors?.map(({ extensions }) => extensions.docUrl);
    expect(await docUrlsOf('{ petz }')).toEqual([`${base}/docs/errors#invalid_request`]);
    expect(await docUrlsOf('{ pet(id: 999999) { id } }')).toEqual([`${base}/docs/errors#pet_not_found`]);
    expect(await docUrlsOf('{ __typename }', 'none')).toEqual([`${base}/docs/errors#invalid_api_key`]);
  });

  test('so does an error of a request that is not HTTP', async () => {
    const { body } = await sendRaw(gateway.url, 'NONSENSE\r\n\r\n');
    expect(JSON.parse(body)).toMatchObject({ docUrl: `${publicUrl ?? ''}/docs/errors#invalid_request` });
  });

  test('the links of a page and of a deprecated operation are absolute with PUBLIC_URL', async () => {
    const page = await gateway.request('/v1/pets?limit=1', { key });
    const linked = publicUrl ?? '';
    expect(page.headers.get('link')).toMatch(`<${linked}/v1/pets?limit=1&after=`);
    const pet = await gateway.request('/v1/pets/1', { key });
    expect(pet.headers.get('link')).toBe(
      `<${linked}/v1/pets>; rel="successor-version", <${linked}/docs/versioning>; rel="deprecation"; type="text/html"`,
    );
  });
});

describe('the address in docUrl, without PUBLIC_URL', () => {
  const gateway = useGateway({ env: { TRUST_PROXY: '127.0.0.1' } });
  const docUrlFor = async (...headers: string[]) => {
    const { body } = await sendRaw(
      gateway.url,
      rawHead('GET /v1/pets HTTP/1.1', ...headers, 'Connection: close'),
    );
    return (JSON.parse(body) as { docUrl: string }).docUrl;
  };
  const PART = '/docs/errors#missing_api_key';

  it.each([
    ['a Host of this machine', ['Host: LocalHost:8080'], `http://localhost:8080${PART}`],
    [
      "the scheme of a trusted proxy's client",
      ['Host: a.localhost', 'X-Forwarded-Proto: https'],
      `https://a.localhost${PART}`,
    ],
    [
      'no scheme but HTTP and HTTPS',
      ['Host: 127.0.0.1', 'X-Forwarded-Proto: javascript'],
      `http://127.0.0.1${PART}`,
    ],
    ['no Host that could be anywhere', ['Host: pets.example.com'], PART],
    ['no Host that only begins like an address of this machine', ['Host: 127.0.0.1.example.com'], PART],
    ['an IPv6 address', ['Host: [::1]:3000'], `http://[::1]:3000${PART}`],
    ['no empty Host', ['Host:'], PART],
    ['no Host with other characters', ['Host: localhost"><b>'], PART],
    ['no Host with a user', ['Host: localhost@evil.example'], PART],
    ['no Host that is too long', [`Host: ${'a'.repeat(300)}.localhost`], PART],
  ])('is made of %s', async (_what, headers, docUrl) => {
    expect(await docUrlFor(...headers)).toBe(docUrl);
  });
});
