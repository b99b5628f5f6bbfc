import { randomBytes } from 'node:crypto';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expectError } from '../../../support/expect-answer.js';
import { useGateway } from '../../../support/gateway.js';
import { siteOf, tarGzOf, tarOf, withHeader, withoutEnd, type TestEntry } from './archives.js';
import { newShop } from './client.js';

const MIB = 1024 * 1024;
const INDEX = ['index.html', '<h1>new</h1>'] as const;

const gateway = useGateway();
let client: Awaited<ReturnType<typeof newShop>>;
beforeAll(async () => {
  client = await newShop(gateway);
  await client.deploy(await siteOf('before'));
});

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
    [
      'an index.html in a folder only',
      'no index.html at the top level: all files are in the folder "site". Publish the content of that folder',
      [{ name: 'site/', type: 'directory' }, ['site/index.html', 'x'], ['site/css/a.css', 'x']],
    ],
    [
      'an index.html in a folder in a folder only',
      'all files are in the folder "build/site"',
      [
        ['build/site/index.html', 'x'],
        ['build/site/a.css', 'x'],
        ['.DS_Store', 'x'],
      ],
    ],
    [
      'two folders, each with an index.html',
      'no index.html at the top level.',
      [
        ['a/index.html', 'x'],
        ['ab/index.html', 'x'],
      ],
    ],
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
    await expectRefused(
      Buffer.from('<h1>a page</h1>'),
      'not gzip. Make a .tar.gz file, for example with: tar czf',
    );
    await expectRefused(Buffer.from('PK\u0003\u0004 a zip'), 'not gzip, but a zip file. Make a .tar.gz file');
    await expectRefused(await tarOf(INDEX), 'not gzip, but a tar file');
    await expectRefused(brotliCompressSync(await tarOf(INDEX)), 'not gzip.');
    await expectRefused(Buffer.alloc(0), 'incomplete');
  });

  test('gzip of something else', async () => {
    await expectRefused(gzipSync('<h1>not a tar</h1>'.repeat(100)), 'not a tar');
    await expectRefused(gzipSync(''), 'no index.html');
    await expectRefused(gzipSync(await siteOf('x')), 'contains a gzip file in place of a tar file');
    await expectRefused(
      gzipSync(`070701${'0'.repeat(600)}`),
      'contains a cpio archive in place of a tar file',
    );
  });

  test('without the blocks that end a tar, whole as it is otherwise', async () => {
    const tar = withoutEnd(await tarOf(INDEX, ['zeros', Buffer.alloc(1024)]));
    await expectRefused(gzipSync(tar), 'incomplete: the empty blocks at the end');
    await expectRefused(gzipSync(withoutEnd(await tarOf(INDEX))), 'incomplete: the empty blocks at the end');
  });

  test.each([
    ['GNU.sparse.realsize=5', 'stored with its holes left out'],
    ['SCHILY.realsize=5', 'stored with its holes left out. Pack it without -sparse'],
    ['GNU.dumpdir=Ya', 'incremental'],
    ['GNU.volume.filename=a', 'one volume of several'],
    ['hdrcharset=ISO-IR 8859 1 1998', 'the character set "ISO-IR 8859 1 1998"'],
  ])('a pax header with %s, which changes what the entry is', async (record, reason) => {
    const [keyword = '', value = ''] = record.split('=');
    await expectRefused(await tarGzOf(INDEX, { name: 'a', pax: { [keyword]: value } }), reason);
  });

  test('a pax header that ends within a record, and a global one with a size', async () => {
    const header = async (type: string, records: string) =>
      withoutEnd(withHeader(await tarOf(['pax', records]), 156, type));
    const before = async (type: string, records: string) =>
      gzipSync(Buffer.concat([await header(type, records), await tarOf(INDEX)]));
    for (const records of ['16 path=a.html\n', 'x path=a.html\n', '14 path=a.htm', '0 path=a.html\n'])
      await expectRefused(await before('x', records), 'a malformed pax header');
    await expectRefused(await before('g', '10 size=1\n'), 'a global pax header with size');
  });

  test.each([
    ['no map', 'x'.repeat(10)],
    ['a map that ends too early', '2\n0\n1\n'],
    ['parts beyond the end of the file', mapOf('1\n8\n5\n', 'hello')],
    ['parts beyond what is stored', mapOf('1\n0\n6\n', 'hello')],
    ['parts that overlap', mapOf('2\n0\n3\n2\n2\n', 'hello')],
    ['more than the parts', mapOf('1\n0\n4\n', 'hello')],
    ['too many parts', mapOf('6000\n', '')],
    ['a negative number', mapOf('1\n-5\n5\n', 'hello')],
  ])('a file with holes and %s', async (_what, stored) => {
    const tar = Buffer.concat([withoutEnd(await sparseEntry(stored, 10)), await tarOf(INDEX)]);
    await expectRefused(gzipSync(tar), 'real.bin" has');
  });

  test('a file with holes that is larger than a site, and is not restored', async () => {
    const tar = Buffer.concat([withoutEnd(await sparseEntry(mapOf('0\n', ''), 1e12)), await tarOf(INDEX)]);
    await expectRefused(gzipSync(tar), 'larger than 10 MiB');
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

test('a folder with a size, which is a limit and no content, is read', async () => {
  const { deploy, live } = await newShop(gateway);
  const tar = await tarOf({ name: 'css/', type: 'directory' }, INDEX);
  await deploy(gzipSync(withHeader(tar, 124, '00000010000')));
  expect(await live()).toEqual({ 'index.html': INDEX[1] });
});

test('a folder without a type, as before POSIX, is no file', async () => {
  const { deploy, live } = await newShop(gateway);
  const tar = await tarOf({ name: 'css/', type: 'directory' }, INDEX);
  await deploy(gzipSync(withHeader(tar, 156, '0')));
  expect(await live()).toEqual({ 'index.html': INDEX[1] });
});

test('a file with holes is restored: GNU tar 1.0, under its real name', async () => {
  const { deploy, live } = await newShop(gateway);
  const entry = await sparseEntry(mapOf('3\n0\n2\n4\n3\n10\n0\n', 'hello'), 10);
  await deploy(gzipSync(Buffer.concat([withoutEnd(entry), await tarOf(INDEX)])));
  expect(await live()).toEqual({ 'index.html': INDEX[1], 'real.bin': 'he\0\0llo\0\0\0' });
});

/** The map of the parts of a file with holes, padded to its block, and the parts. */
function mapOf(map: string, parts: string): string {
  return map.padEnd(512, '\0') + parts;
}

async function sparseEntry(stored: string, realSize: number): Promise<Buffer> {
  const pax = {
    'GNU.sparse.major': '1',
    'GNU.sparse.minor': '0',
    'GNU.sparse.name': './real.bin',
    'GNU.sparse.realsize': String(realSize),
  };
  return tarOf({ name: './GNUSparseFile.0/real.bin', pax, content: stored });
}

/** The blocks of a pax global header of 560 bytes, without an end of the archive. */
async function longGlobalHeader(): Promise<Buffer> {
  const records = Array.from({ length: 40 }, (_, i) => `14 key${i + 10}=value\n`).join('');
  const header = await tarOf(['pax', records]);
  return withoutEnd(withHeader(header, 156, 'g'));
}
