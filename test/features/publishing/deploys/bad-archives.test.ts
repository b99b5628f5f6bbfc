import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expectError } from '../../../support/expect-answer.js';
import { startGateway } from '../../../support/gateway.js';
import { siteOf, tarGzOf, tarOf, type TestEntry } from './archives.js';
import { newShop } from './client.js';

const MIB = 1024 * 1024;
const INDEX = ['index.html', '<h1>new</h1>'] as const;

let gateway: Awaited<ReturnType<typeof startGateway>>;
let client: Awaited<ReturnType<typeof newShop>>;
beforeAll(async () => {
  gateway = await startGateway();
  client = await newShop(gateway);
  await client.deploy(await siteOf('before'));
});
afterAll(() => gateway.close());

/** The archive is refused with this reason, which the deploy keeps; visitors get what they got before. */
async function expectRefused(archive: Buffer, reason: string, status = 400): Promise<void> {
  const before = await client.list(1);
  const { deploy } = await client.create();
  const code = status === 413 ? 'payload_too_large' : 'invalid_request';
  const { message } = await expectError(await client.send(deploy.id, archive), status, code);
  expect(message).toContain(reason);
  const after = await client.list(1);
  expect(after.nodes).toMatchObject([
    { id: deploy.id, state: 'failed', problem: expect.stringContaining(reason) as string, isLive: false },
  ]);
  expect(after.liveDeploy).toEqual(before.liveDeploy);
  expect(await client.live()).toEqual({ 'index.html': '<h1>before</h1>' });
}

const many = (count: number): TestEntry[] =>
  Array.from({ length: count }, (_, i) => [`${i}.txt`, 'x'] as const);

describe('rejected, with nothing changed:', () => {
  test.each<[string, string, readonly TestEntry[]]>([
    ['no index.html', 'no index.html at the top', [['about.html', 'x']]],
    ['an index.html in a folder only', 'no index.html at the top', [['site/index.html', 'x']]],
    ['nothing at all', 'no index.html at the top', []],
    ['an index.html that is a folder', 'no index.html', [{ name: 'index.html', type: 'directory' }]],
    ['an absolute path', '"/etc/passwd" is an absolute path', [INDEX, ['/etc/passwd', 'x']]],
    ['a way out', '"../evil.html" has a path that leaves the folder', [INDEX, ['../evil.html', 'x']]],
    [
      'a way out from within',
      '"a/../../evil" has a path that leaves the folder',
      [INDEX, ['a/../../evil', 'x']],
    ],
    ['a way out and in again', '"a/../b" has a path that leaves the folder', [INDEX, ['a/../b', 'x']]],
    [
      'a folder outside',
      '"../" has a path that leaves the folder',
      [INDEX, { name: '../', type: 'directory' }],
    ],
    ['a backslash', 'has a backslash', [INDEX, ['..\\evil.html', 'x']]],
    ['a drive letter', '"C:/evil.html" begins with a drive letter', [INDEX, ['C:/evil.html', 'x']]],
    ['a control character', 'has a control character', [INDEX, ['a\u001b[2J.html', 'x']]],
    ['a line feed', 'has a control character', [INDEX, ['a\nb', 'x']]],
    ['a NUL, in a pax header', 'has a control character', [INDEX, { name: 'a\0b', pax: { x: '1' } }]],
    ['a name that is not UTF-8', 'not UTF-8', [INDEX, ['a\ufffdb', 'x']]],
    ['an empty part', '"a//b" has an empty part', [INDEX, ['a//b', 'x']]],
    ['a dot in between', '"a/./b" has an empty part', [INDEX, ['a/./b', 'x']]],
    ['a symbolic link', '"l" is a link', [INDEX, { name: 'l', type: 'symlink', linkname: '/etc/passwd' }]],
    ['a hard link', '"l" is a link', [INDEX, { name: 'l', type: 'link', linkname: 'index.html' }]],
    ['a character device', '"d" is a device', [INDEX, { name: 'd', type: 'character-device' }]],
    ['a block device', '"d" is a device', [INDEX, { name: 'd', type: 'block-device' }]],
    ['a named pipe', '"p" is a named pipe', [INDEX, { name: 'p', type: 'fifo' }]],
    ['a file twice', '"a" occurs twice', [INDEX, ['a', '1'], ['a', '2']]],
    ['a file twice, once with ./', '"./a" occurs twice', [INDEX, ['a', '1'], ['./a', '2']]],
    [
      'two in one in any case',
      '"A.html" differs from "a.html" in case only',
      [INDEX, ['a.html', ''], ['A.html', '']],
    ],
    ['two in one to Unicode', 'occurs twice', [INDEX, ['\u00e9', ''], ['e\u0301', '']]],
    ['two in one in any case of any script', 'in case only', [INDEX, ['stra\u00dfe', ''], ['STRASSE', '']]],
    ['501 files', 'more than 500 files', [INDEX, ...many(500)]],
    ['a path of 256 bytes', 'longer than 255 bytes', [INDEX, ['é'.repeat(128), 'x']]],
    // Unread: to put its marks in order would take minutes.
    [
      'a path of a megabyte',
      'longer than 255 bytes',
      [INDEX, [`a${'\u0301'.repeat(250_000)}${'\u0316'.repeat(250_000)}`, 'x']],
    ],
    ['21 levels', 'more than 20 folders deep', [INDEX, [`${'a/'.repeat(20)}b`, 'x']]],
    ['11 MiB', 'larger than 10 MiB', [INDEX, ['big', Buffer.alloc(11 * MIB)]]],
  ])('%s', async (_name, reason, entries) => {
    await expectRefused(await tarGzOf(...entries), reason);
  });

  test('what is not gzip', async () => {
    await expectRefused(Buffer.from('PK\u0003\u0004 a zip'), 'not gzip');
    await expectRefused(await tarOf(INDEX), 'not gzip');
    await expectRefused(Buffer.alloc(0), 'incomplete');
  });

  test('gzip of something else', async () => {
    await expectRefused(gzipSync('<h1>not a tar</h1>'.repeat(100)), 'not a tar');
    await expectRefused(gzipSync(''), 'no index.html');
  });

  test('cut short: the gzip, the tar in it, a header in it', async () => {
    const tar = await tarOf(INDEX, ['a.txt', 'x'.repeat(5000)]);
    const archive = gzipSync(tar);
    await expectRefused(archive.subarray(0, -5), 'incomplete');
    await expectRefused(gzipSync(tar.subarray(0, 3000)), 'incomplete');
    await expectRefused(gzipSync(tar.subarray(0, 700)), 'incomplete');
  });

  test('followed by something else, in the gzip or in the tar', async () => {
    const tar = await tarOf(INDEX);
    await expectRefused(
      Buffer.concat([gzipSync(tar), Buffer.from('and more')]),
      'damaged, or other data follows it',
    );
    await expectRefused(gzipSync(Buffer.concat([tar, Buffer.alloc(600, 'x')])), 'damaged');
  });

  test('a bit that flipped', async () => {
    const archive = await siteOf('x');
    archive.writeUInt8(archive.readUInt8(archive.length - 6) ^ 1, archive.length - 6);
    await expectRefused(archive, 'damaged');
  });

  test('a header for all files that is copied for each of them', async () => {
    const tar = Buffer.concat([await longGlobalHeader(), await tarOf(INDEX)]);
    await expectRefused(gzipSync(tar), 'a global pax header');
  });

  test('a zip bomb: expanded no further than the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MIB));
    expect(bomb.length).toBeLessThan(MIB);
    await expectRefused(bomb, 'expanded, has more than 16 MiB', 413);
  });

  test('larger than an upload can be', async () => {
    const archive = gzipSync(await tarOf(INDEX, ['big', randomBytes(13 * MIB)]), { level: 1 });
    expect(archive.length).toBeGreaterThan(12 * MIB);
    await expectRefused(archive, 'more than 12 MiB', 413);
  });
});

test('accepts the limits: 500 files, a path of 255 bytes, 20 levels, 10 MiB in total', async () => {
  const { deploy } = await newShop(gateway);
  expect(await deploy(await tarGzOf(INDEX, ...many(499)))).toMatchObject({ fileCount: 500 });
  const long = `${'a/'.repeat(19)}${'b'.repeat(255 - 38)}`;
  expect(await deploy(await tarGzOf(INDEX, [long, 'x']))).toMatchObject({ fileCount: 2 });
  const big = randomBytes(10 * MIB - INDEX[1].length);
  const archive = gzipSync(await tarOf(INDEX, ['big.txt', big]), { level: 1 });
  expect(await deploy(archive)).toMatchObject({ sizeBytes: 10 * MIB });
});

test('taken with a file that is itself a tar with a long header for all its files', async () => {
  const inner = Buffer.concat([await longGlobalHeader(), await tarOf(INDEX)]);
  const { deploy } = await newShop(gateway);
  expect(await deploy(await tarGzOf(INDEX, ['download.tar', inner]))).toMatchObject({ fileCount: 2 });
});

/** The blocks of a pax global header of 560 bytes, without an end of the archive. */
async function longGlobalHeader(): Promise<Buffer> {
  const records = Array.from({ length: 40 }, (_, i) => `14 key${i + 10}=value\n`).join('');
  const header = await tarOf(['pax', records]);
  header.write('g', 156);
  header.fill(' ', 148, 156);
  const sum = header.subarray(0, 512).reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0`, 148);
  return header.subarray(0, -1024);
}
