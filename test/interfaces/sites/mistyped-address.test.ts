import { expectError } from '../../support/expect-answer.js';
import { useGateway } from '../../support/gateway.js';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const gateway = useGateway();
const open = (path: string, init: { method?: string; key?: string } = {}) =>
  gateway.request(path, { ...init, headers: { accept: BROWSER } });

it.each(['/dashbord', '/docs/nothing', '/v2', '/docs/<b>'])(
  'a browser that opens %s gets a page with 404 that leads to the home page',
  async (path) => {
    const answer = await open(path);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    const page = await answer.text();
    expect(page).toContain('Page not found');
    expect(page).toContain('<a href="/">');
    expect(page).not.toContain(path);
    const head = await open(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([404, '']);
  },
);

it.each(['/v1', '/v1/pets', '/v1/nothing', '/graphql/nothing', '/deploys/dep_1/archive', '/metrics'])(
  'a browser learns at %s no more than any client without a key',
  async (path) => {
    expect((await open(path)).status).toBe(401);
  },
);

it('programs get the Error object, with a key and without', async () => {
  const { secret: key } = await gateway.keyOn('business');
  await expectError(await gateway.request('/dashbord'), 401, 'missing_api_key');
  await expectError(await open('/dashbord', { method: 'POST' }), 401, 'missing_api_key');
  await expectError(await open('/dashbord', { key }), 404, 'not_found');
  await expectError(await open('/dashbord', { key: 'wrong' }), 401, 'invalid_api_key');
});
