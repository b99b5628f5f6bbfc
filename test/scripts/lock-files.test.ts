import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parse } from 'yaml';

const ROOT = join(__dirname, '../..');

interface LockedPackage {
  optionalDependencies?: Record<string, string>;
}

/** Of the repository, not of what is installed. */
const lockFiles = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*package-lock.json'],
  {
    cwd: ROOT,
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => file !== '');

test('the repository has lock files', () => {
  expect(lockFiles).toEqual(expect.arrayContaining(['package-lock.json', 'test/package-lock.json']));
});

// `npm ci` rejects a lock file that lists an optional package for some platforms only. npm writes such a file when its
// registry or its cache lacks the package for another platform.
test.each(lockFiles)('%s lists every optional package, for whatever platform', (file) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as {
    packages: Record<string, LockedPackage>;
  };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !placesOf(name, path).some((place) => place in packages))
      .map((name) => `${path} needs ${name}`),
  );
  expect(missing).toEqual([]);
});

test.each(lockFiles)('updates of %s are proposed', (file) => {
  const { updates } = parse(readFileSync(join(ROOT, '.github/dependabot.yml'), 'utf8')) as {
    updates: { 'package-ecosystem': string; directories?: string[] }[];
  };
  const npm = updates.find((update) => update['package-ecosystem'] === 'npm');
  expect(npm?.directories).toContain(join('/', dirname(file)));
});

test('tools that look for advisories see the version of the API reference in vendor/', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'vendor/scalar/package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>;
  };
  const { version = '' } = packages['node_modules/@scalar/api-reference'] ?? {};
  const script = gunzipSync(readFileSync(join(ROOT, 'vendor/scalar/standalone.js.gz'))).toString();
  expect(script).toContain(version);
  expect(readFileSync(join(ROOT, 'src/interfaces/docs/reference.ts'), 'utf8')).toContain(`'${version}'`);
});

/** Where Node looks for a package that is required from `path`, nearest first. */
function placesOf(name: string, path: string): string[] {
  const parts = path.split('/node_modules/');
  const folders = parts.map((_, i) => parts.slice(0, parts.length - i).join('/node_modules/'));
  return [...folders, ''].map((folder) => (folder === '' ? '' : `${folder}/`) + `node_modules/${name}`);
}
