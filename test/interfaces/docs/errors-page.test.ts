import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_STATUS } from '../../../src/lib/errors.js';
import { askGraphQL } from '../graphql/client.js';
import { sendRaw } from '../../support/raw-http.js';
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
  ['without PUBLIC_URL', undefined, ''],
  ['with PUBLIC_URL', 'https://api.example.com', 'https://api.example.com'],
])('%s', (_when, publicUrl, base) => {
  const gateway = useGateway(publicUrl === undefined ? {} : { env: { PUBLIC_URL: publicUrl } });
  let key: string;
  beforeAll(async () => {
    key = (await gateway.keyOn('business')).secret;
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
    expect(JSON.parse(body)).toMatchObject({ docUrl: `${base}/docs/errors#invalid_request` });
  });

  test('the links of a page and of a deprecated operation have the same base', async () => {
    const page = await gateway.request('/v1/pets?limit=1', { key });
    expect(page.headers.get('link')).toMatch(`<${base}/v1/pets?limit=1&after=`);
    const pet = await gateway.request('/v1/pets/1', { key });
    expect(pet.headers.get('link')).toBe(
      `<${base}/v1/pets>; rel="successor-version", <${base}/docs/versioning>; rel="deprecation"; type="text/html"`,
    );
  });
});
