import * as zlib from 'node:zlib';
import { expectRawError } from '../support/expect-answer.js';
import { useStarted } from '../support/gateway.js';
import { zstdFrame, ZSTD_SKIPPABLE } from '../support/zstd-frame.js';
import { startVictim } from './victim.js';

/** Bodies that expand, nest, or are read differently by the next reader. More in rest/create-pet and rest/request-way. */
const victim = useStarted(startVictim);
afterEach(() => victim.expectAlive());

/** A pet of the victim's project, which no body changes. */
let pet: string;
let before: string;
beforeAll(async () => {
  pet = `/v1/pets/${/"id":(\d+)/.exec((await victim.post(PET)).body)?.[1] ?? ''}`;
  before = await stateOf();
});
afterEach(async () => expect(await stateOf()).toBe(before));

const stateOf = async () => (await victim.send(victim.head(`GET ${pet} HTTP/1.1`))).body;
const update = (body: string | Buffer) => victim.post(body, { method: 'PATCH', path: pet });
/** The same body creates a pet, and changes one. */
const eachWay = async (body: string | Buffer) => [await victim.post(body), await update(body)];

const MB = 1_000_000;
const PET = '{"name":"Rex","categoryId":7}';

describe('compressed bodies', () => {
  const zeros = Buffer.alloc(100 * MB);
  const gzipMember = zlib.gzipSync(zeros);
  it.each<[string, string, Buffer]>([
    ['10 GB of gzip', 'gzip', Buffer.concat(Array<Buffer>(100).fill(gzipMember))],
    ['100 MB of brotli', 'br', zlib.brotliCompressSync(zeros)],
    ['gzip within gzip', 'gzip', zlib.gzipSync(zlib.gzipSync(zeros))],
  ])('%s: refused, and memory stays bounded', async (what, coding, body) => {
    const before = process.memoryUsage().rss;
    const answer = await victim.post(body, { headers: [`Content-Encoding: ${coding}`] });
    if (what.includes('within')) expectRawError(answer, 413);
    else expectRawError(answer, 413, 'payload_too_large');
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MB);
  });

  it.each<[string, number, Buffer]>([
    ['100 MB', 413, zstdFrame('', { spaces: 100 * MB })],
    ['a window of 2 GB', 400, zstdFrame(PET, { windowLog: 31 })],
    ['a window of 128 MB', 400, zstdFrame(PET, { windowLog: 27 })],
    ['two thousand frames', 400, Buffer.concat(Array<Buffer>(2_000).fill(zstdFrame('{}')))],
    ['frames that hold nothing', 400, Buffer.concat(Array<Buffer>(4_000).fill(ZSTD_SKIPPABLE))],
  ])('zstd, %s, fifty times at once: refused, and memory stays bounded', async (_, status, body) => {
    const before = process.memoryUsage().rss;
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => victim.post(body, { headers: ['Content-Encoding: zstd'] })),
    );
    // Node 20 has no zstd.
    for (const answer of answers) expectRawError(answer, 'zstdDecompress' in zlib ? status : 415);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * MB);
  });

  it('the same without a key is 401, unread', async () => {
    const request = victim
      .head('POST /v1/pets HTTP/1.1', 'Content-Encoding: gzip', `Content-Length: ${gzipMember.length}`)
      .replace(/Authorization.*\r\n/, '');
    expectRawError(
      await victim.send(Buffer.concat([Buffer.from(request), gzipMember])),
      401,
      'missing_api_key',
    );
  });
});

describe('nested values: 400', () => {
  it.each([
    ['arrays', '['.repeat(20_000)],
    ['closed arrays', '['.repeat(20_000) + ']'.repeat(20_000)],
    ['objects', '{"a":'.repeat(10_000)],
    ['an array as the name', `{"name":${'['.repeat(20_000)}${']'.repeat(20_000)},"categoryId":1}`],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`],
  ])('%s', async (_, body) => {
    for (const answer of await eachWay(body))
      expect(expectRawError(answer, 400, 'invalid_request').message).toContain('nested deeper');
    const answer = await victim.post(body, { path: '/graphql' });
    expect([answer.status, answer.body.includes('nested deeper')]).toEqual([400, true]);
  });
});

describe('text that is not plain UTF-8: 400 or 415, never guessed', () => {
  it.each([
    ['a byte order mark', Buffer.from(`\ufeff${PET}`)],
    ['UTF-16, little end first', Buffer.from(PET, 'utf16le')],
    ['UTF-16 with its mark', Buffer.from(`\ufeff${PET}`, 'utf16le')],
    ['latin1', Buffer.from('{"name":"Zoë","categoryId":7}', 'latin1')],
    [
      'an overlong slash',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('","categoryId":7}')]),
    ],
    [
      'a surrogate in UTF-8',
      Buffer.concat([
        Buffer.from('{"name":"'),
        Buffer.from([0xed, 0xa0, 0x80]),
        Buffer.from('","categoryId":7}'),
      ]),
    ],
    ['half a character', Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xe2, 0x82])])],
    [
      'a code point past the last',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xf4, 0x90, 0x80, 0x80]), Buffer.from('"}')]),
    ],
    ['an escaped lone surrogate', Buffer.from('{"name":"\\ud800","categoryId":7}')],
    ['an escaped NUL', Buffer.from('{"name":"a\\u0000","categoryId":7}')],
    ['a NUL', Buffer.from('{"name":"a\0","categoryId":7}')],
  ])('%s', async (_, body) => {
    for (const answer of await eachWay(body)) expectRawError(answer, 400, 'invalid_request');
  });

  it.each(['utf-16', 'UTF-16LE', 'latin1', 'iso-8859-1', 'utf-7', 'ascii', "'utf-8'", 'utf-8x'])(
    'charset=%s',
    async (charset) => {
      for (const path of ['/v1/pets', '/graphql']) {
        const answer = await victim.post(PET, { path, type: `application/json; charset=${charset}` });
        expect([path, answer.status]).toEqual([path, 415]);
      }
    },
  );
});

describe('members that mean something to JavaScript or MongoDB: 400 naming them', () => {
  it.each([
    ['a name twice', '{"name":"a","name":"b","categoryId":7}', 'name'],
    ['a name twice, once in escapes', '{"name":"a","n\\u0061me":"b","categoryId":7}', 'name'],
    ['__proto__', '{"name":"a","categoryId":7,"__proto__":{"status":"sold"}}', '__proto__'],
    ['__proto__ twice', '{"__proto__":1,"__proto__":2}', '__proto__'],
    ['constructor', '{"name":"a","categoryId":7,"constructor":{"prototype":{"admin":true}}}', 'constructor'],
    ['what a prototype would bring', '{"__proto__":{"name":"a","categoryId":7}}', '__proto__'],
    ['toString', '{"name":"a","categoryId":7,"toString":1}', 'toString'],
    ['_id', '{"name":"a","categoryId":7,"_id":1}', '_id'],
    ['an operator as a member', '{"name":"a","categoryId":7,"$where":"1"}', '$where'],
    ['an operator as the name', '{"name":{"$gt":""},"categoryId":7}', 'name'],
    ['an operator as the category', '{"name":"a","categoryId":{"$gt":0}}', 'categoryId'],
    ['an operator as the status', '{"name":"a","categoryId":7,"status":{"$ne":"sold"}}', 'status'],
    ['extended JSON', '{"name":"a","categoryId":{"$numberLong":"7"}}', 'categoryId'],
    ['a status of a prototype', '{"name":"a","categoryId":7,"status":"constructor"}', 'status'],
  ])('%s', async (_, body, field) => {
    for (const answer of await eachWay(body)) {
      const { details } = expectRawError(answer, 400, 'invalid_request');
      expect(details?.fields?.map((fault) => fault.field)).toContain(field);
    }
    expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
    expect(({} as Record<string, unknown>)['status']).toBeUndefined();
  });
});

describe('numbers that are expensive to expand: 400', () => {
  const many = 60_000;
  it.each([
    ['a huge exponent', '1e999999999'],
    ['an exponent of many digits', `1e${'9'.repeat(many)}`],
    ['a tiny exponent', `1e-${'9'.repeat(many)}`],
    ['many digits', '9'.repeat(many)],
    ['many zeros after a one', `1${'0'.repeat(many)}`],
    ['many zeros between ones', `1${'0'.repeat(many)}1`],
    ['many zeros in a fraction', `1.${'0'.repeat(many)}1`],
    ['many leading zeros', `${'0'.repeat(many)}1`],
    ['infinity', '1e400'],
    ['one past int64', '9223372036854775808'],
    ['one past int64 the other way', '-9223372036854775809'],
  ])('%s', async (_, number) => {
    for (const answer of await eachWay(`{"name":"a","categoryId":${number}}`))
      expectRawError(answer, 400, 'invalid_request');
  });

  it('accepts a fraction of zeros, or one that the exponent removes', async () => {
    for (const number of [`7.${'0'.repeat(many)}`, `7${'0'.repeat(many)}e-${many}`])
      expect((await victim.post(`{"name":"a","categoryId":${number}}`)).body).toContain('"categoryId":7,');
  });
});
