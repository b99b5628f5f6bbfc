/**
 * Upgrades and rolls back under traffic:
 *
 *   npm run test:upgrade                     from this version to one that is made of it
 *   npm run test:upgrade -- --from <ref>     from the version at a commit, a branch or a tag, to this one
 *
 * What was built of a commit is kept in the cache. What follows goes to Jest.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pets-gateway');

function versionAt(ref) {
  const commit = run('git', ['rev-parse', '--verify', `${ref}^{commit}`], { stdio: 'pipe' }).trim();
  const folder = join(cache, `version-${commit.slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  console.error(`Building the version at ${ref} (${commit.slice(0, 12)})`);
  const partial = `${folder}.partial`;
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true });
  run('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, partial]);
  if (areHere(join(partial, 'package.json')))
    symlinkSync(join(root, 'node_modules'), join(partial, 'node_modules'));
  // Not `npm ci`: it rejects the lock files of older versions, which list optional packages of Linux only.
  else run('npm', ['install', '--no-audit', '--no-fund'], { cwd: partial });
  run(process.execPath, [join(partial, 'bin', 'build-if-stale.cjs')], { cwd: partial });
  renameSync(partial, folder);
  return folder;
}

/** Whether what it depends on is what this version depends on, and perhaps less. */
function areHere(packageFile) {
  const dependenciesOf = (file) => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(file, 'utf8'));
    return { ...dependencies, ...devDependencies };
  };
  const here = dependenciesOf(join(root, 'package.json'));
  return Object.entries(dependenciesOf(packageFile)).every(([name, version]) => here[name] === version);
}

function run(program, args, options = {}) {
  const { status, stdout } = spawnSync(program, args, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    encoding: 'utf8',
    ...options,
  });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed`);
  return stdout ?? '';
}

const args = process.argv.slice(2);
const { values } = parseArgs({ args, options: { from: { type: 'string' } }, strict: false });
const env = { ...process.env };
if (typeof values.from === 'string') {
  env.UPGRADE_FROM = versionAt(values.from);
  args.splice(args.indexOf('--from'), 2);
}
const test = [join(root, 'test', 'run.mjs'), '--suite', 'thorough/upgrade', ...args];
process.exitCode = spawnSync(process.execPath, test, { cwd: root, stdio: 'inherit', env }).status ?? 1;
