import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { newShop } from '../features/publishing/deploys/client.js';
import { useGateway } from '../support/gateway.js';
import { mustRun } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const gateway = useGateway();
let client: Awaited<ReturnType<typeof newShop>>;
beforeAll(async () => {
  client = await newShop(gateway);
});

const folder = useTemporaryFolder();
const SITE = {
  'index.html': '<h1>Hi</h1>',
  'css/shop.css': 'h1 { color: teal }',
  'Tiere/K\u00e4fig.html': '\u00fc',
};
const WITH_HOLES = 'media/holes.bin';
const HOLES_BYTES = 2 * 1024 * 1024;

beforeEach(async () => {
  for (const name of ['css', 'Tiere', 'media'])
    await mkdir(join(folder(), 'site', name), { recursive: true });
  for (const [path, text] of Object.entries(SITE)) await writeFile(join(folder(), 'site', path), text);
});

async function addFileWithHoles(): Promise<Buffer> {
  const path = join(folder(), 'site', WITH_HOLES);
  const file = await open(path, 'w');
  await file.write('A'.repeat(4096), HOLES_BYTES / 2);
  await file.truncate(HOLES_BYTES);
  await file.close();
  return readFile(path);
}

const inSite = (command: string) => mustRun('sh', ['-c', command], { cwd: join(folder(), 'site') });
const packed = (name = 'packed') => readFile(join(folder(), name));

/** Python's tarfile adds the folder under another name, in one of its formats. */
const pythonAdd = (arcname: string, format: string) =>
  mustRun('python3', [
    '-c',
    `import sys, tarfile
with tarfile.open(sys.argv[1], 'w:gz', format=tarfile.${format}) as tar:
    tar.add(sys.argv[2], arcname=${JSON.stringify(arcname)})`,
    join(folder(), 'packed'),
    join(folder(), 'site'),
  ]);

test('bsdtar, the tar of macOS: a file with holes is stored whole', async () => {
  const content = await addFileWithHoles();
  await inSite('bsdtar -czf ../packed .');
  const archive = await packed();
  await client.deploy(archive);
  const { [WITH_HOLES]: stored = '', ...others } = (await client.live()) ?? {};
  expect(others).toEqual(SITE);
  expect(stored === content.toString()).toBe(true);
});

test.each([
  ['bsdtar --format=ustar', 'bsdtar --format=ustar -czf ../packed .'],
  ['bsdtar --format=v7', 'LC_ALL=C.UTF-8 bsdtar --format=v7 -czf ../packed .'],
  ['cpio -H ustar', 'find . | cpio --quiet -o -H ustar | gzip > ../packed'],
  ['cpio -H tar', 'find . | cpio --quiet -o -H tar | gzip > ../packed'],
])('%s is read', async (_name, command) => {
  await inSite(command);
  await client.deploy(await packed());
  expect(await client.live()).toEqual(SITE);
});

test.each(['', '.', '/'])("Python's tarfile with arcname=%j is read, in each format", async (arcname) => {
  for (const format of ['PAX_FORMAT', 'GNU_FORMAT', 'USTAR_FORMAT']) {
    await pythonAdd(arcname, format);
    await client.deploy(await packed());
    expect(await client.live()).toEqual(SITE);
  }
});

async function expectRefused(archive: Buffer, reason: string): Promise<void> {
  const { deploy } = await client.create();
  const answer = await client.send(deploy.id, archive);
  const message = expect.stringContaining(reason) as string;
  expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ message })]);
}

test("Python's tarfile with a folder in the archive: names the folder", async () => {
  await pythonAdd('dist/site', 'PAX_FORMAT');
  await expectRefused(await packed(), 'all files are in the folder "dist/site"');
});

test('zip and the formats of cpio are named, as they are and inside gzip', async () => {
  await inSite('zip -qr ../packed.zip .');
  await expectRefused(await packed('packed.zip'), 'not gzip, but a zip file. Make a .tar.gz file');
  for (const format of ['bin', 'odc', 'newc', 'crc']) {
    await inSite(`find . | cpio --quiet -o -H ${format} > ../packed`);
    await expectRefused(await packed(), 'not gzip, but a cpio archive');
    await expectRefused(gzipSync(await packed()), 'contains a cpio archive in place of a tar file');
  }
});
