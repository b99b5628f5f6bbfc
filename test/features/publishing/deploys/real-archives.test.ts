import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startGateway } from '../../../support/gateway.js';
import { mustRun } from '../../../support/run-program.js';
import { useTemporaryFolder } from '../../../support/temporary-folder.js';
import { tarGzOf } from './archives.js';
import { newShop } from './client.js';

let gateway: Awaited<ReturnType<typeof startGateway>>;
let client: Awaited<ReturnType<typeof newShop>>;
beforeAll(async () => {
  gateway = await startGateway();
  client = await newShop(gateway);
});
afterAll(() => gateway.close());

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
