import * as zlib from 'node:zlib';
import { expectError } from '../../support/expect-answer.js';
import { useGateway } from '../../support/gateway.js';
import { restClient, type RestClient } from '../../support/rest-client.js';
import { zstdFrame, ZSTD_SKIPPABLE } from '../../support/zstd-frame.js';

const PET = '{"name":"Rex","categoryId":7}';
/** Node 20 has no zstd. */
const hasZstd = 'zstdDecompress' in zlib;
const CODINGS = hasZstd ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';

const gateway = useGateway();
let client: RestClient;
beforeAll(async () => {
  client = await restClient(gateway);
});

const post = (body: Buffer, coding: string) => client.post(body, { 'content-encoding': coding });

test.each([
  ['gzip', zlib.gzipSync(PET)],
  ['GZip', zlib.gzipSync(PET)],
  ['deflate', zlib.deflateSync(PET)],
  ['br', zlib.brotliCompressSync(PET)],
  ['identity', Buffer.from(PET)],
  ['gzip', Buffer.concat([zlib.gzipSync(PET.slice(0, 9)), zlib.gzipSync(PET.slice(9))])],
])('answers 201 for Content-Encoding: %s', async (coding, body) => {
  expect((await post(body, coding)).status).toBe(201);
});

test('a 415 for the content coding lists the codings, and a 415 for the media type does not', async () => {
  const forCoding = await post(Buffer.from(PET), 'compress');
  expect(forCoding.headers.get('accept-encoding')).toBe(CODINGS);
  const { message } = await expectError(forCoding, 415, 'unsupported_media_type');
  expect(message).toBe(`The Content-Encoding is not supported. Send ${CODINGS}, or no Content-Encoding.`);
  const forType = await client.post(PET, { 'content-type': 'text/plain' });
  expect(forType.headers.get('accept-encoding')).toBeNull();
});

test('GraphQL lists the codings too', async () => {
  const answer = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${client.secret}`,
      'content-type': 'application/json',
      'content-encoding': 'compress',
    },
    body: '{"query":"{ __typename }"}',
  });
  expect([answer.status, answer.headers.get('accept-encoding')]).toEqual([415, CODINGS]);
});

test.each(['compress', 'gzip, gzip', 'x', 'utf-8'])(
  'answers 415 for Content-Encoding: %s',
  async (coding) => {
    await expectError(await post(Buffer.from(PET), coding), 415, 'unsupported_media_type');
  },
);

test.each([
  ['gzip', 'a body that lacks its end', zlib.gzipSync(PET).subarray(0, -1)],
  ['gzip', '20 bytes of a body', zlib.gzipSync(PET).subarray(0, 20)],
  ['gzip', 'no gzip at all', Buffer.from(PET)],
  ['deflate', 'a body that lacks its end', zlib.deflateSync(PET).subarray(0, -1)],
  ['br', 'a body that lacks its end', zlib.brotliCompressSync(PET).subarray(0, -1)],
])('answers 400 for Content-Encoding: %s over %s', async (coding, _, body) => {
  await expectError(await post(body, coding), 400, 'invalid_request');
});

// Bodies that expand to 100 MB and more: test/hostile/bodies.
test('counts what a gzip body expands to', async () => {
  const padded = (bytes: number) => zlib.gzipSync(PET.padEnd(bytes, ' '));
  expect((await post(padded(65_536), 'gzip')).status).toBe(201);
  await expectError(await post(padded(65_537), 'gzip'), 413, 'payload_too_large');
  const bomb = zlib.gzipSync(Buffer.alloc(50_000_000));
  expect(bomb.length).toBeLessThan(65_536);
  await expectError(await post(bomb, 'gzip'), 413, 'payload_too_large');
});

test('answers 413 for 64 KiB and one byte that expand to nothing', async () => {
  const nothing = zlib.gzipSync('');
  const endless = Buffer.concat(Array<Buffer>(Math.ceil(65_537 / nothing.length)).fill(nothing));
  await expectError(await post(endless, 'gzip'), 413, 'payload_too_large');
});

const frame = zstdFrame(PET);
const LARGEST_WINDOW = 23;

describe(`zstd, which this Node ${hasZstd ? 'has' : 'lacks'}`, () => {
  test.each([
    ['a frame', frame],
    ['a frame of a single segment', zstdFrame(PET, { singleSegment: true })],
    ['the largest window', zstdFrame(PET, { windowLog: LARGEST_WINDOW })],
    ['64 KiB', zstdFrame(PET, { spaces: 65_536 - PET.length })],
    ['skippable frames around a frame', Buffer.concat([ZSTD_SKIPPABLE, frame, ZSTD_SKIPPABLE])],
  ])('%s: 201', async (_, body) => {
    const answer = await post(body, 'zstd');
    if (hasZstd) expect(answer.status).toBe(201);
    else await expectError(answer, 415, 'unsupported_media_type');
  });

  test.each([
    ['no zstd at all', Buffer.from(PET)],
    ['nothing', Buffer.alloc(0)],
    ['a truncated frame', frame.subarray(0, -1)],
    ['only a part of the header', frame.subarray(0, 5)],
    ['a truncated skippable frame', Buffer.concat([frame, ZSTD_SKIPPABLE.subarray(0, -1)])],
    ['bytes after the frame', Buffer.concat([frame, Buffer.from('{"name":"Max"}')])],
    ['a second frame', Buffer.concat([frame, frame])],
    ['only a skippable frame', ZSTD_SKIPPABLE],
    ['a window of 16 MB', zstdFrame(PET, { windowLog: LARGEST_WINDOW + 1 })],
    ['a window of 2 GB', zstdFrame(PET, { windowLog: 31 })],
    ['a dictionary', zstdFrame(PET, { dictionaryId: 9 })],
  ])('%s: 400', async (_, body) => {
    const answer = await post(body, 'zstd');
    if (hasZstd) await expectError(answer, 400, 'invalid_request');
    else await expectError(answer, 415, 'unsupported_media_type');
  });

  test.each([
    ['64 KiB and one byte', zstdFrame(PET, { spaces: 65_537 - PET.length })],
    ['64 KiB of skippable frames', Buffer.concat(Array<Buffer>(5_000).fill(ZSTD_SKIPPABLE))],
    ['100 MB from a few bytes', zstdFrame(PET, { spaces: 100_000_000 })],
  ])('%s: 413', async (_, body) => {
    const answer = await post(body, 'zstd');
    if (hasZstd) await expectError(answer, 413, 'payload_too_large');
    else await expectError(answer, 415, 'unsupported_media_type');
  });

  test('what a client of this Node compresses: 201', async () => {
    const { zstdCompressSync = zlib.gzipSync } = zlib as { zstdCompressSync?: (text: string) => Buffer };
    const coding = hasZstd ? 'zstd' : 'gzip';
    expect((await post(zstdCompressSync(PET.padEnd(60_000, ' ')), coding)).status).toBe(201);
  });
});
