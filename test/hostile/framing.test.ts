import { expectRawError } from '../support/expect-answer.js';
import { useStarted } from '../support/gateway.js';
import { rawHead } from '../support/raw-http.js';
import { startVictim } from './victim.js';

/** Where one request ends and the next begins: two readers must never see it differently. More in rest/bare-socket. */
const victim = useStarted(startVictim);
afterEach(() => victim.expectAlive());

const PET = '{"name":"Rex","categoryId":7}';
const CHUNKED = `${PET.length.toString(16)}\r\n${PET}\r\n0\r\n\r\n`;
const CREATE = 'POST /v1/pets HTTP/1.1';
const TYPE = 'Content-Type: application/json';

describe('an ambiguous length gets 400, and nothing after it is processed', () => {
  const smuggled = rawHead('GET /v1/pets HTTP/1.1', 'Host: x');
  it.each([
    ['chunked and a length', ['Transfer-Encoding: chunked', 'Content-Length: 4']],
    ['a length and chunked', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
    ['xchunked', ['Transfer-Encoding: xchunked']],
    ['chunked before another coding', ['Transfer-Encoding: chunked, identity']],
    [
      'chunked, then another coding in a line of its own',
      ['Transfer-Encoding: chunked', 'Transfer-Encoding: x'],
    ],
    ['a quoted chunked', ['Transfer-Encoding: "chunked"']],
    ['chunked with a vertical tab', ['Transfer-Encoding: chunked\v']],
    ['chunked after a vertical tab', ['Transfer-Encoding: \vchunked']],
    ['chunked with a parameter', ['Transfer-Encoding: chunked;q=1']],
    ['a space before the colon', ['Transfer-Encoding : chunked']],
    ['a space before the name', [' Transfer-Encoding: chunked']],
    ['a folded value', ['Transfer-Encoding:', ' chunked']],
    ['a NUL in the name', ['Transfer-\0Encoding: chunked']],
    ['a bare LF before it', ['X: y\nTransfer-Encoding: chunked']],
    ['a bare CR before it', ['X: y\rTransfer-Encoding: chunked']],
    ['lengths in a list', ['Content-Length: 4, 4']],
    ['the same length twice', ['Content-Length: 4', 'Content-Length: 4']],
    ['a signed length', ['Content-Length: +4']],
    ['a hexadecimal length', ['Content-Length: 0x4']],
    ['a length past every integer', ['Content-Length: 99999999999999999999999']],
    ['no length', ['Content-Length:']],
    ['a length with a space in it', ['Content-Length: 1 4']],
  ])('%s', async (_, lines) => {
    const request = `${rawHead(CREATE, 'Host: x', `Authorization: Bearer ${victim.secret}`, TYPE, ...lines)}0\r\n\r\n${smuggled}`;
    expect(await victim.statuses(request)).toEqual([400]);
    expectRawError(await victim.send(request), 400, 'invalid_request');
  });

  it.each([
    ['no hexadecimal', 'g\r\n'],
    ['signed', '-1\r\n'],
    ['prefixed', `0x${CHUNKED}`],
    ['past every integer', 'fffffffffffffffff\r\n'],
    ['ended by a bare LF', CHUNKED.replace('\r\n', '\n')],
    ['longer than its chunk', CHUNKED.replace('\r\n0\r\n', '0\r\n')],
  ])('a chunk size that is %s', async (_, body) => {
    const request = victim.head(CREATE, TYPE, 'Transfer-Encoding: chunked') + body;
    expect(await victim.statuses(`${request}\r\n\r\n${smuggled}`)).toEqual([400]);
    expectRawError(await victim.send(`${request}\r\n\r\n`), 400, 'invalid_request');
  });

  it.each(['Transfer-Encoding: chunked', 'transfer-encoding:\tchunked', 'TRANSFER-ENCODING: Chunked'])(
    'but %j is one',
    async (line) => expect((await victim.send(victim.head(CREATE, TYPE, line) + CHUNKED)).status).toBe(201),
  );
});

describe('requests on one connection', () => {
  const get = (path: string) =>
    rawHead(`GET ${path} HTTP/1.1`, 'Host: x', `Authorization: Bearer ${victim.secret}`);

  it('are answered each by its own key: a key does not carry over', async () => {
    const keyless = rawHead('GET /v1/pets HTTP/1.1', 'Host: x', 'Connection: close');
    expect(await victim.statuses(get('/v1/pets') + keyless)).toEqual([200, 401]);
  });

  it('are answered in their order, a hundred at once', async () => {
    const paths = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? '/v1/pets' : '/v1/nothing'));
    const request = paths.map(get).join('') + victim.head('GET /v1/pets HTTP/1.1');
    expect(await victim.statuses(request)).toEqual([
      ...paths.map((path) => (path === '/v1/pets' ? 200 : 404)),
      200,
    ]);
  });

  it('a request in the body of a GET is a request of its own, with nothing of the first', async () => {
    const smuggled = rawHead('GET /v1/pets HTTP/1.1', 'Host: x', 'Connection: close');
    const first = rawHead(
      'GET /v1/pets HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${victim.secret}`,
      `Content-Length: ${smuggled.length}`,
    );
    expect(await victim.statuses(first + smuggled + smuggled)).toEqual([200, 401]);
  });

  it('a body beyond its length is a request of its own, and no HTTP', async () => {
    const lines = [TYPE, `Content-Length: ${PET.length}`, `Authorization: Bearer ${victim.secret}`];
    const request = `${rawHead(CREATE, 'Host: x', ...lines)}${PET}{"admin":true}\r\n\r\n`;
    expect(await victim.statuses(request)).toEqual([201, 400]);
  });
});

describe('HTTP/1.0', () => {
  it('is answered, and the connection closes', async () => {
    const request = rawHead('GET /v1/pets HTTP/1.0', `Authorization: Bearer ${victim.secret}`);
    const answer = await victim.send(request);
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  });

  it('needs a key as every version does', async () => {
    expectRawError(await victim.send(rawHead('GET /v1/pets HTTP/1.0')), 401, 'missing_api_key');
  });

  it.each(['HTTP/3.7', 'HTTP/1.11', 'http/1.1', 'HTTP/1.1 '])('%j is no version: 400', async (version) => {
    expectRawError(await victim.send(rawHead(`GET /v1/pets ${version}`, 'Host: x')), 400, 'invalid_request');
  });
});

describe('many headers', () => {
  it('a key behind more headers than Node keeps is no key', async () => {
    const lines = Array.from({ length: 2100 }, () => 'a:');
    const request = rawHead(
      'GET /v1/pets HTTP/1.1',
      'Host: x',
      'Connection: close',
      ...lines,
      `Authorization: Bearer ${victim.secret}`,
    );
    expectRawError(await victim.send(request), 401, 'missing_api_key');
  });

  it('trailers are no headers', async () => {
    const body = CHUNKED.replace(/\r\n$/, `Authorization: Bearer ${victim.secret}\r\n\r\n`);
    const request =
      rawHead(CREATE, 'Host: x', 'Connection: close', TYPE, 'Transfer-Encoding: chunked') + body;
    expectRawError(await victim.send(request), 401, 'missing_api_key');
  });
});
