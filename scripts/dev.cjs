/**
 * `npm run dev`: the gateway from its sources, restarted when they change. mongod stays up meanwhile, so that a
 * restart takes as long as the gateway itself does, and data stay. Each restart is a stop as any other: requests under
 * way are finished.
 *
 * node --watch would do half of it. It knows what is loaded with require, not the files of the pages, and sends Ctrl-C
 * on to a process that has it from the terminal already, and takes the second for "at once".
 */
const { fork } = require('node:child_process');
const { once } = require('node:events');
const { existsSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
require('../test/support/register-typescript.cjs');
const { bundleDashboard } = require('../bin/bundle-dashboard.cjs');
const { loadConfig } = require('../src/config/config.ts');
const { openDatabase } = require('../src/platform/mongod/database.ts');
const { watchFolders } = require('./watch-folders.cjs');

const root = join(__dirname, '..');
/** Editors write a file in several steps, and a change of branch writes many files. */
const SETTLE_MS = 100;

let gateway;
let stopping = false;
/** Settles when the gateway is of the sources as they are. */
let restarting;
const changed = new Set();

main().catch((error) => {
  say(error.message);
  process.exitCode = 1;
});

async function main() {
  const database = await openDatabase(loadConfig(), { join: false, progress: say });
  const stopped = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => resolve());
  });
  const watcher = watchFolders(root, ['src', 'dashboard', 'schema'], ['.env'], (file) => {
    changed.add(file);
    restarting ??= restart();
  });
  bundlePage();
  startGateway();
  const lost = await Promise.race([stopped, database.lost]);
  if (lost !== undefined) say(lost);
  stopping = true;
  watcher.close();
  await restarting;
  await stopGateway();
  await database.close();
}

async function restart() {
  while (changed.size > 0 && !stopping) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const files = [...changed];
    changed.clear();
    say(`${files.slice(0, 3).join(', ')}${files.length > 3 ? ' and others' : ''} changed`);
    if (files.some((file) => file.startsWith('dashboard'))) bundlePage();
    await stopGateway();
    if (!stopping) startGateway();
  }
  restarting = undefined;
}

function startGateway() {
  const child = fork(join(__dirname, 'from-sources.cjs'), ['serve', '--join'], { cwd: root });
  gateway = child;
  child.once('exit', (code, signal) => {
    gateway = undefined;
    if (!stopping && restarting === undefined) say(`it ended (${signal ?? code}): waiting for a change`);
  });
}

async function stopGateway() {
  if (gateway === undefined) return;
  const exited = once(gateway, 'exit');
  gateway.kill('SIGTERM');
  await exited;
}

/** To where a build puts it, which is of other sources from then on: the next `npm start` builds. */
function bundlePage() {
  const marker = join(root, 'dist', '.built');
  if (existsSync(marker)) writeFileSync(marker, '');
  try {
    bundleDashboard(root, join(root, 'dist', 'dashboard', 'page'));
  } catch (error) {
    say(error.message);
  }
}

function say(line) {
  process.stderr.write(`dev: ${line}\n`);
}
