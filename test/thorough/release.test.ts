import { existsSync } from 'node:fs';
import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { copyUncommitted } from '../support/copy-uncommitted.js';
import { mustRun, runProgram } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const CHECKOUT = join(__dirname, '../..');
const temporary = useTemporaryFolder();
const clone = () => join(temporary(), 'clone');

const ENV = {
  ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com' },
  ...{ GIT_COMMITTER_NAME: 'A', GIT_COMMITTER_EMAIL: 'a@example.com' },
  // No image: the containers suite builds one.
  DOCKER_HOST: 'unix:///nowhere',
};
const git = (...args: string[]) => mustRun('git', args, { cwd: clone(), env: ENV });
const release = (...args: string[]) =>
  runProgram(process.execPath, ['scripts/release.mjs', ...args], { cwd: clone(), env: ENV });
const read = (file: string) => readFile(join(clone(), file), 'utf8');
const exists = (file: string) => existsSync(join(clone(), file));

/** A clone of what is in the working tree, committed, with one change to release. */
beforeEach(async () => {
  await mustRun('git', ['clone', '--quiet', CHECKOUT, clone()]);
  await copyUncommitted(clone());
  await symlink(join(CHECKOUT, 'node_modules'), join(clone(), 'node_modules'));
  await writeFile(join(clone(), '.git/info/exclude'), 'node_modules\n');
  const changelog = await read('CHANGELOG.md');
  await writeFile(
    join(clone(), 'CHANGELOG.md'),
    changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n- A change.\n'),
  );
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'feat: a change');
});

test('a dry run checks and changes nothing', async () => {
  const { code, output } = await release('1.1.0', '--dry-run');
  expect([code, output]).toEqual([0, expect.stringContaining('would change package.json') as string]);
  expect(await git('status', '--porcelain')).toBe('');
  expect(await git('tag')).toBe('');
});

test('a release has its version everywhere, a dated changelog, its interface, a packed client and a tag', async () => {
  const { code, output } = await release('1.1.0');
  expect([code, output]).toEqual([0, expect.stringContaining('Tagged v1.1.0') as string]);
  expect(output).toContain('docker build --tag pets-gateway:1.1.0 .');
  expect(await git('status', '--porcelain')).toBe('');
  expect(await git('tag', '--points-at', 'HEAD')).toBe('v1.1.0\n');
  expect(await git('log', '-1', '--format=%s')).toBe('chore(release): 1.1.0\n');

  const lock = JSON.parse(await read('package-lock.json')) as Package & { packages: { '': Package } };
  const versions = [await packageOf('.'), await packageOf('clients/typescript'), lock, lock.packages['']];
  expect(versions.map(({ version }) => version)).toEqual(Array<string>(4).fill('1.1.0'));
  expect(await read('deploy/kubernetes/base/kustomization.yaml')).toContain('newTag: 1.1.0');
  expect(await read('CHANGELOG.md')).toMatch(
    /## \[Unreleased\]\n\n## \[1\.1\.0\] - \d{4}-\d\d-\d\d\n\n- A change\.\n/,
  );
  expect(exists('dist/release/pets-gateway-client-1.1.0.tgz')).toBe(true);
  expect(exists('schema/released/1.0.0')).toBe(false);
  for (const file of ['openapi.yaml', 'schema.graphql'])
    expect(await read(`schema/released/1.1.0/${file}`)).toBe(await read(`schema/${file}`));

  expect(await release('1.1.0')).toEqual({ code: 1, output: 'error: v1.1.0 is tagged already.\n' });
  expect((await release('1.2.0')).output).toBe('error: CHANGELOG.md has no change under [Unreleased].\n');
});

test('uncommitted changes, a version before the present one, and no version: exit 1', async () => {
  expect(await release('0.9.0')).toEqual({
    code: 1,
    output: 'error: 0.9.0 is before 1.0.0, which package.json names.\n',
  });
  expect((await release()).output).toContain('Name the version');
  await writeFile(join(clone(), 'notes.txt'), 'mine');
  expect(await release('1.1.0')).toEqual({
    code: 1,
    output: 'error: There are changes. Commit them first.\n',
  });
  expect(await read('notes.txt')).toBe('mine');
});

test('an interface that breaks clients of the last release: exit 1, naming the change', async () => {
  const sdl = await read('schema/schema.graphql');
  await writeFile(
    join(clone(), 'schema/schema.graphql'),
    sdl.replace(/^ {2}"""[^"]*"""\n {2}asOf: .*\n/m, ''),
  );
  await git('commit', '--quiet', '--all', '--message', 'feat: less');
  const { code, output } = await release('1.1.0');
  expect(code).toBe(1);
  expect(output).toContain('schema/schema.graphql: ');
});

test('a failure leaves the repository as it was', async () => {
  const client = await packageOf('clients/typescript');
  await writeFile(
    join(clone(), 'clients/typescript/package.json'),
    JSON.stringify({ ...client, scripts: { prepack: 'exit 1' } }, undefined, 2),
  );
  await git('commit', '--quiet', '--all', '--message', 'fix: a client that cannot be packed');
  const before = await git('rev-parse', 'HEAD');
  expect((await release('1.1.0')).code).toBe(1);
  expect(await git('status', '--porcelain')).toBe('');
  expect(await git('rev-parse', 'HEAD')).toBe(before);
  expect(exists('schema/released/1.0.0')).toBe(true);
  expect(exists('schema/released/1.1.0')).toBe(false);
});

interface Package {
  version: string;
}

const packageOf = async (folder: string) => JSON.parse(await read(join(folder, 'package.json'))) as Package;
