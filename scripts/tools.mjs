/**
 * Packages that only one suite or one command needs. Each folder `tools/<name>` has a package.json and a lock file of
 * its own, and is installed by whatever needs it first, so that `npm install` stays small.
 *
 *   node scripts/tools.mjs <name>…     installs tools/<name> if needed; `../test` stands for test/
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const { takeTurn } = createRequire(import.meta.url)('../bin/take-turn.cjs');
const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Runs `npm ci` in the folder `name` of tools/, unless what is installed there comes from the present lock file. Safe when several
 * processes call it at once: one installs, the others wait.
 *
 * @param {string} name a path from tools/
 * @returns {string} the path of the folder
 * @throws Error if npm fails
 */
export function ensureTools(name) {
  const folder = resolve(root, 'tools', name);
  if (isInstalled(folder)) return folder;
  const release = takeTurn(join(folder, '.installing'));
  try {
    if (!isInstalled(folder)) install(folder);
  } finally {
    release();
  }
  return folder;
}

function install(folder) {
  console.error(`Installing the packages of ${relative(root, folder)}`);
  const lock = lockOf(folder);
  const { status } = spawnSync(
    'npm',
    ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'],
    {
      cwd: folder,
      stdio: ['ignore', 2, 2],
    },
  );
  if (status !== 0) throw new Error(`npm ci failed in ${folder}. Its output above gives the reason.`);
  writeFileSync(marker(folder), lock);
}

/** Compares contents, not times: a checkout gives an unchanged lock file a new time. */
function isInstalled(folder) {
  try {
    return readFileSync(marker(folder), 'utf8') === lockOf(folder);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

const lockOf = (folder) => readFileSync(join(folder, 'package-lock.json'), 'utf8');
/** A copy of the lock file that was installed. `npm ci` deletes it with the rest of node_modules. */
const marker = (folder) => join(folder, 'node_modules', '.installed-lock.json');

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const name of process.argv.slice(2)) ensureTools(name);
