import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { findPageDocuments } from '../../../src/interfaces/dashboard/page-files.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';

interface Made {
  texts: string[];
  sources: Map<string, string>;
}

const ROOT = join(__dirname, '../../..');
const requireHere = createRequire(__filename);
const { bundleDashboard } = requireHere('../../../bin/bundle-dashboard.cjs') as {
  bundleDashboard: (root: string, folder: string) => void;
};
const { readDocuments } = requireHere('../../../bin/dashboard-documents.cjs') as {
  readDocuments: (root: string) => Made;
};
const folder = useTemporaryFolder();

test('the documents and their types are those of the .graphql files and the schema (UPDATE_SCHEMA=1 rewrites them)', () => {
  const { sources } = readDocuments(ROOT);
  expect(sources.size).toBeGreaterThan(1);
  for (const [path, source] of sources) {
    if (process.env['UPDATE_SCHEMA'] === '1') writeFileSync(join(ROOT, path), source);
    expect([path, readFileSync(join(ROOT, path), 'utf8')]).toEqual([path, source]);
  }
});

test('an operation that does not fit the schema stops the build, with its fault', () => {
  const root = folder();
  const schema = readFileSync(join(ROOT, 'schema', 'schema.graphql'));
  for (const name of ['schema', 'dashboard']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'schema', 'schema.graphql'), schema);
  writeFileSync(join(root, 'dashboard', 'some-documents.graphql'), 'query Some { plans { colour } }');
  expect(() => readDocuments(root)).toThrow('Cannot query field "colour" on type "Plan"');
});

test('the gateway gets every document of the page, to the byte, and no other', () => {
  bundleDashboard(ROOT, folder());
  const listed = findPageDocuments(folder());
  expect(listed.length).toBeGreaterThan(0);
  expect(new Set(listed).size).toBe(listed.length);
  const assets = join(folder(), 'assets');
  const names = readdirSync(assets).filter((name) => name.endsWith('.js'));
  const scripts = names.map((name) => readFileSync(join(assets, name), 'utf8')).join('\n');
  const sent = [...scripts.matchAll(/text:(["'`])((?:query|mutation) .*?)\1/g)].map(([, , text]) => text);
  expect([...new Set(sent)].sort()).toEqual(listed.sort());
});
