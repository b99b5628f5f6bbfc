import * as zlib from 'node:zlib';
import { expectRawError } from '../support/expect-answer.js';
import { useStarted } from '../support/gateway.js';
import { zstdFrame, ZSTD_SKIPPABLE } from '../support/zstd-frame.js';
import { startVictim } from './victim.js';

/** Bodies that expand or nest. More in rest/faulty-bodies and rest/request-way. */
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
