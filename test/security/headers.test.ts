import { rawHead, sendRaw, type RawAnswer } from '../support/raw-http.js';
import { AMPLE } from '../support/rest-client.js';
import { useGateway } from '../support/gateway.js';

/** What every kind of answer says to a browser, and what it gives away of us. */
const gateway = useGateway();
let key: string;
beforeAll(async () => {
  ({ secret: key } = await gateway.keyOn('enterprise', AMPLE));
});

const PAGE = 'text/html,*/*;q=0.1';
const send = (line: string, ...headers: string[]) =>
  sendRaw(gateway.url, rawHead(`${line} HTTP/1.1`, 'Host: x', 'Connection: close', ...headers));
const authorized = () => `Authorization: Bearer ${key}`;

const ANSWERS: [string, number, () => Promise<RawAnswer>][] = [
  ['a REST answer', 200, () => send('GET /v1/pets', authorized())],
  ['a REST error', 404, () => send('GET /v1/pets/5', authorized())],
  ['no key', 401, () => send('GET /v1/pets')],
  ['a bad parameter', 400, () => send('GET /v1/pets?limit=0', authorized())],
  ['a GraphQL answer', 200, () => send('GET /graphql?query={__typename}', authorized())],
  ['a GraphQL error', 400, () => send('GET /graphql', authorized())],
  ['GraphQL without a key', 401, () => send('GET /graphql?query={__typename}')],
  ['the home page', 200, () => send('GET /', `Accept: ${PAGE}`)],
  ['the docs', 200, () => send('GET /docs')],
  ['the reference', 200, () => send('GET /docs/reference')],
  ['its script', 200, () => send('GET /docs/reference/start.js')],
  ['its document', 200, () => send('GET /docs/openapi.json')],
  ['the way to the docs', 308, () => send('GET /docs/')],
  ['the IDE', 200, () => send('GET /graphql', `Accept: ${PAGE}`)],
  ['its script', 200, () => send('GET /docs/graphiql/start.js')],
  ['the schema', 200, () => send('GET /docs/schema.graphql')],
  ['liveness', 200, () => send('GET /health/live')],
  ['readiness', 200, () => send('GET /health/ready')],
  [
    'a preflight',
    204,
    () => send('OPTIONS /v1/pets', 'Origin: https://x.example', 'Access-Control-Request-Method: GET'),
  ],
  ['what is no HTTP', 400, () => sendRaw(gateway.url, 'nonsense\r\n\r\n')],
  ['headers that are too large', 431, () => send('GET /v1/pets', `X: ${'x'.repeat(20_000)}`)],
];

describe.each(ANSWERS)('%s (%d)', (_what, status, ask) => {
  let answer: RawAnswer;
  beforeAll(async () => {
    answer = await ask();
  });

  test('is what this test is about', () => expect(answer.status).toBe(status));

  test('is not taken for another type', () => {
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each(['x-powered-by', 'server', 'via', 'x-runtime', 'set-cookie', 'www-authenticate-info'])(
    'has no %s',
    (name) => {
      expect(answer.headers.has(name)).toBe(false);
    },
  );

  test('lets no page use what a browser would send by itself', () => {
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  });

  test('has an id to ask about', () => {
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe.each([
  ['the reference', () => send('GET /docs/reference')],
  ['the IDE', () => send('GET /graphql', `Accept: ${PAGE}`)],
])('the page of %s', (_what, ask) => {
  test('runs no script but our own, stands in no frame, and sends no form', async () => {
    const { headers } = await ask();
    const policy = new Map(
      (headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources.join(' ')];
      }),
    );
    expect(policy.get('default-src')).toBe("'self'");
    // No script-src: that of default-src, without 'unsafe-inline' and 'unsafe-eval'.
    expect(policy.has('script-src')).toBe(false);
    for (const name of ['base-uri', 'form-action', 'frame-ancestors', 'object-src'])
      expect([name, policy.get(name)]).toEqual([name, "'none'"]);
    expect([...policy.values()].join(' ')).not.toMatch(/https?:|\*|unsafe-eval/);
  });

  test('tells no other site where it was left from, and shares no window', async () => {
    const { headers } = await ask();
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
  });
});

test('what belongs to a key is kept by no shared cache', async () => {
  for (const line of ['GET /v1/pets', 'GET /v1/pets/5', 'GET /graphql?query={__typename}']) {
    const { headers } = await send(line, authorized());
    expect(headers.get('cache-control')).toMatch(/private|no-store/);
    expect(headers.get('vary')).toContain('Authorization');
  }
});
