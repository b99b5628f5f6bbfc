import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../..');

/** In the text, and as the target of a link. */
const TEST_PATH = /(?<![\w-])test\/[\w./-]*\w/g;

test('every test that a page of docs/ names exists', async () => {
  const missing: string[] = [];
  for (const page of (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md')))
    for (const [path] of (await readFile(join(ROOT, 'docs', page), 'utf8')).matchAll(TEST_PATH))
      if (!existsSync(join(ROOT, path)) && !existsSync(join(ROOT, `${path}.test.ts`)))
        missing.push(`${page}: ${path}`);
  expect(missing).toEqual([]);
});

test('docs/security.md names the test of each attack', async () => {
  const page = await readFile(join(ROOT, 'docs/security.md'), 'utf8');
  const [, table = ''] = page.split('\n## ');
  const rows = table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  expect(rows.length).toBeGreaterThan(50);
  const files = (row: string) =>
    row
      .split('|')
      .at(-2)
      ?.split(',')
      .map((cell) => cell.trim()) ?? [];
  const isTest = (cell: string) => /^`test\/[\w./-]+\.test\.ts`$/.test(cell);
  expect(rows.filter((row) => !files(row).every(isTest))).toEqual([]);
});
