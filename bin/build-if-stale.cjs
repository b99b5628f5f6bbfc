/**
 * Builds dist/ when it is missing or made from other sources. Safe when two processes do it at once: the second waits
 * for the first and finds nothing left to do.
 *
 * Sources are compared by content: times are the same for an older file unpacked from an archive, and differ for an
 * unchanged file in a fresh clone.
 */
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { takeTurn } = require('./take-turn.cjs');

const root = join(__dirname, '..');
const marker = join(root, 'dist', '.built');
const lock = join(root, 'dist', '.building');
const SOURCE_FOLDERS = ['src', 'dashboard'];
const BUILD_STEPS = [
  'build-if-stale.cjs',
  'bundle-dashboard.cjs',
  'compile-sources.cjs',
  'dashboard-documents.cjs',
  'take-turn.cjs',
].map((name) => join('bin', name));
const SERVED_FOLDERS = [join('features', 'publishing', 'storefront', 'page')];

/** @throws Error fit to show to a person: esbuild is not installed, or the sources do not compile. */
function buildIfStale() {
  // A published package has dist/ and no sources.
  if (!existsSync(join(root, 'src')) || isFresh()) return;
  const release = takeTurn(lock);
  try {
    if (!isFresh()) build();
  } finally {
    release();
  }
}

function isFresh() {
  return read(marker) === fingerprint();
}

function build() {
  const fingerprintBefore = fingerprint();
  const startedAt = Date.now();
  console.error('Building the gateway from its sources');
  rmSync(marker, { force: true });
  run('The sources do not compile', 'compile-sources.cjs', root);
  copyServedFiles();
  run('The dashboard does not bundle', 'bundle-dashboard.cjs', root, join(root, 'dist', 'dashboard', 'page'));
  // What was read before: an edit made during the build makes the next start build again.
  writeFileSync(marker, fingerprintBefore);
  console.error(`Built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** In a process of its own, which leaves nothing behind in the gateway. @throws Error with what it said */
function run(fault, script, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(__dirname, script), ...args], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${fault}:\n${stdout}${stderr}`.trimEnd());
}

/** What goes to browsers as it stands: the compiler has no part in it. */
function copyServedFiles() {
  for (const folder of SERVED_FOLDERS) {
    rmSync(join(root, 'dist', folder), { recursive: true, force: true });
    cpSync(join(root, 'src', folder), join(root, 'dist', folder), { recursive: true });
  }
}

function fingerprint() {
  const hash = createHash('sha256');
  for (const file of sources())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

function sources() {
  return ['package.json', 'tsconfig.json', ...SOURCE_FOLDERS.flatMap(filesIn), ...BUILD_STEPS].sort();
}

function filesIn(folder) {
  return (
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      // The reasons beside the code are not built.
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.md'))
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
  );
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

module.exports = { buildIfStale };

if (require.main === module) {
  try {
    buildIfStale();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
