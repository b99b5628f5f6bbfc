import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

interface Bundler {
  bundleDashboard: (root: string, folder: string) => void;
}

const ROOT = join(__dirname, '../../..');
const { bundleDashboard } = createRequire(__filename)('../../../bin/bundle-dashboard.cjs') as Bundler;

let folder: string;
let names: string[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-gateway-page-'));
  bundleDashboard(ROOT, folder);
  names = await readdir(join(folder, 'assets'));
});
afterAll(() => rm(folder, { recursive: true }));

const kilobytesOf = async (wanted: readonly string[]) => {
  const files = await Promise.all(wanted.map((name) => readFile(join(folder, 'assets', name))));
  return files.reduce((sum, file) => sum + gzipSync(file).length, 0) / 1024;
};

test('all pages together are at most 84 KB of script, compressed', async () => {
  expect(await kilobytesOf(names.filter((name) => name.endsWith('.js')))).toBeLessThan(84);
});

/** main.js and what it imports. */
async function scriptsOfEveryPage(): Promise<string[]> {
  const main = names.find((name) => name.startsWith('main-')) ?? '';
  const text = await readFile(join(folder, 'assets', main), 'utf8');
  return [main, ...names.filter((name) => text.includes(`from"./${name}"`) || text.includes(`/${name}";`))];
}

test('what every page needs is at most 20 KB of script, compressed', async () => {
  expect(await kilobytesOf(await scriptsOfEveryPage())).toBeLessThan(20);
});

test('the page names each script that every page needs, so browsers fetch all of them at the same time', async () => {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  const scripts = await scriptsOfEveryPage();
  expect(scripts.length).toBeGreaterThan(1);
  for (const name of scripts) expect(page).toContain(`"/dashboard/assets/${name}"`);
});

test('the names of files change with what is in them, and nothing else is shipped', () => {
  for (const name of names) expect(name).toMatch(/^[a-z-]+-[0-9A-Z]{8}\.(js|css|svg)$/);
});

test('the page has no script and no style of its own, which its policy would refuse', async () => {
  const page = await readFile(join(folder, 'index.html'), 'utf8');
  expect(page).not.toMatch(/\{\{|<style|\sstyle=|<script[^>]*>[^<]/);
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(addresses.length).toBeGreaterThanOrEqual(3);
  for (const address of addresses)
    expect(['session', ...names]).toContain(address.replace(/^\/dashboard\/(?:assets\/)?/, ''));
});
