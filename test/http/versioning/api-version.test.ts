import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { API_VERSION, BASE_PATH } from '../../../src/http/versioning/api-version.js';

const ROOT = join(__dirname, '../../..');
const NOT_OURS = /(?:^|\/)(?:node_modules|\.venv|target|dist|results|images)\//;
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

function filesIn(...places: string[]): string[] {
  return places.flatMap((place) => {
    if (!statSync(join(ROOT, place)).isDirectory()) return [place];
    const entries = readdirSync(join(ROOT, place), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    return files
      .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
      .filter((file) => !NOT_OURS.test(file))
      .sort();
  });
}

it('is that of the specification, and names the path', () => {
  expect([API_VERSION, BASE_PATH]).toEqual(['1.0.0', '/v1']);
});

it('is written once in src/, and everything else uses it', () => {
  const lines = filesIn('src').flatMap((file) =>
    read(file)
      .split('\n')
      .filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line) && /\/v\d+(?![\w.])/.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  );
  expect(lines).toEqual([]);
  expect(filesIn('src').filter((file) => read(file).includes(`'${API_VERSION}'`))).toEqual([
    'src/http/versioning/api-version.ts',
    // What came with which version.
    'src/http/versioning/operation.ts',
  ]);
});

it('is what the dashboard, the documents, the clients and the examples speak of', () => {
  const folders = ['README.md', 'dashboard', 'docs', 'schema', 'clients', 'examples', 'bench'];
  const others = filesIn(...folders)
    .flatMap((file) => Array.from(read(file).matchAll(/(\/v\d+)\/pets\b/g), ([, base]) => `${file}: ${base}`))
    .filter((found) => !found.endsWith(` ${BASE_PATH}`));
  expect(others).toEqual([]);
});
