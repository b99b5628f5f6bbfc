import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { useGateway } from '../../../support/gateway.js';
import { mustRun } from '../../../support/run-program.js';
import { useTemporaryFolder } from '../../../support/temporary-folder.js';
import { tarGzOf } from './archives.js';
import { newShop } from './client.js';

const gateway = useGateway();
let client: Awaited<ReturnType<typeof newShop>>;
beforeAll(async () => {
  client = await newShop(gateway);
});

const folder = useTemporaryFolder();
const LONG = `${'a-long-name/'.repeat(12)}page.html`;
const SITE: Readonly<Record<string, string>> = {
  'index.html': '<h1>Hi</h1>',
  'css/shop.css': 'h1 { color: teal }',
  'Tiere/Käfig.html': 'ü',
  '.well-known/security.txt': 'Contact: mailto:x@shop.example',
  empty: '',
  [LONG]: 'long',
};

async function makeSite(): Promise<string> {
  const site = join(folder(), 'site');
  const besides = { '.git/config': 'x', '.DS_Store': 'x', '._index.html': 'x', '.env': 'SECRET=1' };
  for (const [path, text] of Object.entries({ ...SITE, ...besides })) {
    await mkdir(dirname(join(site, path)), { recursive: true });
    await writeFile(join(site, path), text);
  }
  return site;
}

test.each([
  ['tar czf x -C site .', ['.'], []],
  ['tar czf x * in the folder', ['index.html', 'css', 'Tiere', '.well-known', 'empty', 'a-long-name'], []],
  ['--format=pax, as bsdtar writes', ['.'], ['--format=pax']],
  ['--format=ustar', ['.'], ['--format=ustar']],
  ['--format=gnu', ['.'], ['--format=gnu']],
])('%s', async (_name, what, options) => {
  const file = join(folder(), 'site.tar.gz');
  await mustRun('tar', ['--create', '--gzip', ...options, '--file', file, '-C', await makeSite(), ...what]);
  const deploy = await client.deploy(await readFile(file));
  expect(deploy).toMatchObject({ fileCount: Object.keys(SITE).length });
  expect(await client.live()).toEqual(SITE);
});

/** A site of which one file has holes: a part at its beginning, one in its middle, and nothing at its end. */
async function makeSparseSite(): Promise<string> {
  const site = join(folder(), 'sparse');
  await mkdir(join(site, 'media'), { recursive: true });
  await writeFile(join(site, 'index.html'), 'x');
  const file = await open(join(site, 'media', 'holes.bin'), 'w');
  await file.write('A'.repeat(4096), 0);
  await file.write('B'.repeat(4096), 1024 * 1024);
  await file.truncate(2 * 1024 * 1024);
  await file.close();
  const { blocks } = await stat(join(site, 'media', 'holes.bin'));
  expect(blocks * 512).toBeLessThan(64 * 1024);
  return site;
}

async function packed(site: string, ...options: string[]): Promise<Buffer> {
  const file = join(folder(), 'packed.tar.gz');
  await mustRun('tar', ['--create', '--gzip', ...options, '--file', file, '-C', site, '.']);
  return readFile(file);
}

test('tar --sparse --format=posix: a file with holes is stored whole', async () => {
  const site = await makeSparseSite();
  const deploy = await client.deploy(await packed(site, '--sparse', '--format=posix'));
  expect(deploy).toMatchObject({ fileCount: 2, sizeBytes: 2 * 1024 * 1024 + 1 });
  const live = (await client.live()) ?? {};
  expect(Object.keys(live).sort()).toEqual(['index.html', 'media/holes.bin']);
  // Compared as one value: a difference would print two megabytes.
  const isSame = live['media/holes.bin'] === (await readFile(join(site, 'media', 'holes.bin'))).toString();
  expect(isSame).toBe(true);
});

const SPARSE = /"\.\/media\/holes\.bin" is stored with its holes left out.*: pack without --sparse \(-S\)/;
const INCREMENTAL = /incremental.*without --listed-incremental \(-g\)/;

test.each([
  ['--sparse', SPARSE, ['--sparse', '--format=gnu']],
  ['--sparse-version=0.0', SPARSE, ['--sparse', '--format=posix', '--sparse-version=0.0']],
  ['--sparse-version=0.1', SPARSE, ['--sparse', '--format=posix', '--sparse-version=0.1']],
  ['--listed-incremental', INCREMENTAL, ['--listed-incremental=snapshot']],
  ['--listed-incremental --format=posix', INCREMENTAL, ['--listed-incremental=snapshot', '--format=posix']],
])('tar %s is rejected with what to do', async (_name, reason, options) => {
  const site = await makeSparseSite();
  const within = options.map((option) => option.replace('snapshot', join(folder(), 'snapshot')));
  const { deploy } = await client.create();
  const answer = await client.send(deploy.id, await packed(site, ...within));
  expect([answer.status, await answer.json()]).toEqual([
    400,
    expect.objectContaining({ message: expect.stringMatching(reason) as string }),
  ]);
});

test.each([
  ['--format=v7', ['--format=v7']],
  ['--label', ['--label', '/our shop']],
  ['--label --format=posix', ['--label', 'our shop', '--format=posix']],
])('tar %s is read', async (_name, options) => {
  const site = await makeSite();
  await rm(join(site, 'a-long-name'), { recursive: true });
  await client.deploy(await packed(site, ...options));
  const { [LONG]: _long, ...others } = SITE;
  expect(await client.live()).toEqual(others);
});

test('the volumes of tar --multi-volume are rejected, each with what to do', async () => {
  const site = join(folder(), 'volumes');
  await mkdir(site);
  await writeFile(join(site, 'index.html'), 'x');
  await writeFile(join(site, 'z.bin'), Buffer.alloc(30_000, 'z'));
  for (const format of ['gnu', 'posix']) {
    const volumes = ['1', '2', '3'].map((name) => join(folder(), `${format}-${name}.tar`));
    const files = volumes.flatMap((volume) => ['--file', volume]);
    await mustRun('tar', [
      ...['--create', `--format=${format}`, '--multi-volume', '--tape-length=20', ...files],
      ...['-C', site, 'index.html', 'z.bin'],
    ]);
    for (const [i, reason] of [/incomplete/, /--multi-volume \(-M\)/].entries()) {
      const { deploy } = await client.create();
      const answer = await client.send(deploy.id, gzipSync(await readFile(volumes[i] ?? '')));
      expect([answer.status, await answer.json()]).toEqual([
        400,
        expect.objectContaining({ message: expect.stringMatching(reason) as string }),
      ]);
    }
  }
});

test('what macOS adds: names in NFD, extended attributes in pax headers, and files beside files', async () => {
  const attributes = { 'LIBARCHIVE.xattr.com.apple.quarantine': 'MDA4MQ', 'SCHILY.xattr.x': 'y' };
  await client.deploy(
    await tarGzOf(
      { name: './', type: 'directory' },
      ['./._index.html', 'AppleDouble'],
      { name: './Ka\u0308fig.html', pax: attributes },
      ['./index.html', 'x'],
    ),
  );
  expect(await client.live()).toEqual({ 'index.html': 'x', 'K\u00e4fig.html': '' });
});
