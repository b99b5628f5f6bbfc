import fc from 'fast-check';
import { anyText } from '../../support/any-text.js';
import { expectCommonHeaders, expectRawError } from '../../support/expect-answer.js';
import { useGateway } from '../../support/gateway.js';
import { exchangeRawToEnd, sendRaw } from '../../support/raw-http.js';
import { restClient, type RestClient } from '../../support/rest-client.js';

/** Whatever is sent: never 500, and every refusal is the Error object with `status` equal to the HTTP status. */
const gateway = useGateway({ env: { ANONYMOUS_REQUESTS_PER_MINUTE: '100000' } });
let client: RestClient;
beforeAll(async () => {
  client = await restClient(gateway);
});

const OPTIONS = { numRuns: 150 };
const CRLF = '\r\n';

interface Sent {
  method: string;
  target: string;
  headers?: readonly string[];
  body?: Buffer;
}

async function expectProperAnswer({ method, target, headers = [], body }: Sent): Promise<void> {
  const lines = [
    `${method} ${target} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    `Authorization: Bearer ${client.secret}`,
    ...(body === undefined ? [] : [`Content-Length: ${body.length}`]),
    ...headers,
  ];
  const head = Buffer.from(lines.join(CRLF) + CRLF + CRLF, 'latin1');
  const answer = await sendRaw(gateway.url, Buffer.concat([head, body ?? Buffer.alloc(0)]));
  expect(answer.status).not.toBe(500);
  expectCommonHeaders(answer);
  if (answer.status >= 400 && method !== 'HEAD') expectRawError(answer, answer.status);
  else if (answer.body !== '') expect(() => JSON.parse(answer.body) as unknown).not.toThrow();
}

const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0xff }).map((c) => String.fromCharCode(c)) });
const method = fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE', 'SEARCH');
const headerValue = fc.string({
  unit: fc.integer({ min: 0x20, max: 0xff }).map((c) => String.fromCharCode(c === 0x7f ? 0x20 : c)),
});
const json = fc.oneof(
  fc.json(),
  fc
    .record(
      {
        name: fc.oneof(anyText(), fc.jsonValue()),
        categoryId: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()),
        status: fc.oneof(fc.constantFrom('available', 'lost'), fc.jsonValue()),
        extra: fc.jsonValue(),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
);

describe('any request with a key', () => {
  it('gets a proper answer, whatever its path is', async () => {
    const target = fc.oneof(
      visible.map((text) => `/${text}`),
      visible.map((text) => `/v1/pets/${text}`),
      fc.webPath().map((path) => `/v1/pets${path}`),
      visible.map((text) => `http://${text}`),
    );
    await fc.assert(
      fc.asyncProperty(method, target, (m, t) => expectProperAnswer({ method: m, target: t })),
      OPTIONS,
    );
  });

  it('gets a proper answer, whatever its query is', async () => {
    const name = fc.oneof(fc.constantFrom('limit', 'status', 'after', '__proto__', 'limit[]'), visible);
    const query = fc.array(fc.tuple(name, fc.constantFrom('=', ''), visible), { maxLength: 4 });
    const path = fc.constantFrom('/v1/pets', '/v1/pets/1', '/v1/nothing');
    await fc.assert(
      fc.asyncProperty(path, query, (p, pairs) =>
        expectProperAnswer({ method: 'GET', target: `${p}?${pairs.map((pair) => pair.join('')).join('&')}` }),
      ),
      OPTIONS,
    );
  });

  it('gets a proper answer, whatever JSON it sends', async () => {
    await fc.assert(
      fc.asyncProperty(json, (text) =>
        expectProperAnswer({
          method: 'POST',
          target: '/v1/pets',
          headers: ['Content-Type: application/json'],
          body: Buffer.from(text),
        }),
      ),
      OPTIONS,
    );
  });

  it('gets a proper answer, whatever bytes it sends and calls them', async () => {
    const coding = fc.constantFrom('identity', 'gzip', 'deflate', 'br', 'zstd', '', 'gzip, br');
    const type = fc.oneof(
      fc.constantFrom('application/json', 'application/json; charset=utf-8'),
      headerValue,
    );
    const bytes = fc.uint8Array({ maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(bytes, coding, type, (body, c, t) =>
        expectProperAnswer({
          method: 'POST',
          target: '/v1/pets',
          headers: [`Content-Encoding: ${c}`, `Content-Type: ${t}`],
          body: Buffer.from(body),
        }),
      ),
      OPTIONS,
    );
  });

  it('gets a proper answer, whatever its headers say', async () => {
    const name = fc.constantFrom(
      ...[
        'Accept',
        'Accept-Encoding',
        'Content-Type',
        'If-None-Match',
        'If-Match',
        'If-Modified-Since',
        'Range',
      ],
      ...['Origin', 'Access-Control-Request-Method', 'Access-Control-Request-Headers', 'X-Request-Id'],
      ...['X-Forwarded-For', 'X-Forwarded-Host', 'Forwarded', 'Cookie', 'Expect', 'Upgrade', 'Host', 'TE'],
      ...['X-HTTP-Method-Override', 'Authorization', 'Proxy-Authorization', 'Cache-Control', 'Via'],
    );
    const headers = fc.array(
      fc.tuple(name, headerValue).map(([n, v]) => `${n}: ${v}`),
      { maxLength: 4 },
    );
    const target = fc.constantFrom('/v1/pets', '/v1/pets/1');
    await fc.assert(
      fc.asyncProperty(method, target, headers, (m, t, h) =>
        expectProperAnswer({ method: m, target: t, headers: h }),
      ),
      OPTIONS,
    );
  });
});

describe('any bytes on the connection', () => {
  it('get answers that are no 500, or none', async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'GET',
        'POST',
        ' ',
        '/v1/pets',
        'HTTP/1.1',
        'HTTP/1.0',
        CRLF,
        CRLF + CRLF,
        'Host: x',
        ':',
      ),
      fc.constantFrom(
        'Content-Length: 3',
        'Transfer-Encoding: chunked',
        '0',
        '3',
        '\n',
        '\0',
        'Connection: close',
      ),
      visible,
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        const bytes = Buffer.from(`${pieces.join('')}${CRLF}${CRLF}end${CRLF}${CRLF}`, 'latin1');
        const answers = await exchangeRawToEnd(gateway.url, bytes);
        expect(answers).not.toMatch(/HTTP\/1\.1 500/);
        expect(answers).toMatch(/^HTTP\/1\.1 [0-9]{3} /);
      }),
      OPTIONS,
    );
  });
});
