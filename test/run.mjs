/**
 * What `npm test` runs: installs the packages of the tests and builds when needed, provides the programs that npm does
 * not bring, runs Jest and ends with the line `N passed, N failed`. Skipped tests and missing programs count as failed: nothing passes by not running.
 *
 *   node test/run.mjs [--suite <folder of test/>] [Jest arguments]
 *
 * Without --suite the longer suites are left out; each has a folder and a run of its own. The files, and the tests of
 * each file, then run in an order that is drawn for each run: no test needs another one. `--seed=<number>` repeats one.
 *
 * On SIGTERM, SIGINT or SIGHUP it ends whatever it has started.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { ensureTools } from '../scripts/tools.mjs';
import { countResults } from './support/count-results.mjs';
import { endTree } from './support/end-tree.mjs';
import { provideParts } from './support/provide-parts.mjs';

const require = createRequire(import.meta.url);
const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const longSuites = [
  'conformance',
  'hostile',
  'faults',
  'domains-full',
  'authorities',
  'dashboard-full',
  'thorough',
  'proxies',
  'examples',
  'http-clients',
  'generators',
  'containers',
  'soak',
];
/** They look at how long things take: one file after the other. */
const oneByOne = ['hostile', 'faults', 'soak'];
/** Many of their files wait: for stores that are down, a CA, a page or a process. `undefined` is the run without --suite. */
const waiting = [undefined, 'dashboard-full', 'domains-full', 'thorough', 'proxies'];
const graceAfterResultsMs = 30_000;
const folder = mkdtempSync(join(tmpdir(), 'pets-gateway-results-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

let jestPid;

async function main() {
  for (const tools of ['../test', 'codegen']) ensureTools(tools);
  require('../bin/build-if-stale.cjs').buildIfStale();
  const args = process.argv.slice(2);
  const { env, missing } = await provideParts(suiteOf(args));
  const counts = await runJest(args, env);
  for (const line of missing) console.error(line);
  return { passed: counts.passed, failed: counts.failed + missing.length };
}

async function runJest(args, env) {
  const output = join(folder, 'results.json');
  const jest = require.resolve('jest/bin/jest');
  const jestArgs = [jest, '--json', `--outputFile=${output}`, ...selection(args)];
  // --json prints the results on stdout as well, where nobody reads them; what people read goes to stderr.
  const child = spawn(process.execPath, jestArgs, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  jestPid = child.pid;
  const code = await exitOf(child, output);
  const results = existsSync(output) ? JSON.parse(readFileSync(output, 'utf8')) : undefined;
  return countResults(results, code);
}

/** What its global setup made (run-folder.ts), and can itself not remove any more. */
function removeRunFolder() {
  for (const parent of ['/dev/shm', tmpdir()].filter(existsSync))
    for (const name of readdirSync(parent))
      if (name.startsWith(`pets-gateway-test-run-${jestPid}-`))
        rmSync(join(parent, name), { recursive: true, force: true });
}

function suiteOf(args) {
  const at = args.indexOf('--suite');
  return at === -1 ? undefined : args[at + 1];
}

function selection(args) {
  const suite = suiteOf(args);
  if (suite !== undefined) {
    const rest = args.toSpliced(args.indexOf('--suite'), 2);
    // Jest runs the files that match any pattern: next to a named file, the folder would add all others.
    const folder = rest.some((arg) => arg.startsWith('test/')) ? [] : [`--testPathPatterns=/test/${suite}/`];
    return [...rest, ...workersFor(suite, rest), ...folder];
  }
  const order = args.some((arg) => arg.startsWith('--seed')) ? [] : [`--seed=${randomInt(1, 2 ** 31)}`];
  const ignored = ['/node_modules/', ...longSuites.map((suite) => `<rootDir>/test/${suite}/`)];
  // Last, because Jest takes every word after such an option as one more pattern.
  return [
    '--randomize',
    ...order,
    ...workersFor(suite, args),
    ...args,
    ...ignored.map((pattern) => `--testPathIgnorePatterns=${pattern}`),
  ];
}

function workersFor(suite, args) {
  if (args.some((arg) => /^(?:-w|--maxWorkers|-i|--runInBand)/.test(arg))) return [];
  if (oneByOne.includes(suite)) return ['--runInBand'];
  // One more than the processors of a small machine.
  return waiting.includes(suite) ? ['--maxWorkers=3'] : [];
}

/** Jest waits for ever when a test leaves something open; its results are there by then. */
function exitOf(child, output) {
  return new Promise((resolve) => {
    let seenAt;
    const watch = setInterval(() => {
      seenAt ??= existsSync(output) ? Date.now() : undefined;
      if (seenAt === undefined || Date.now() - seenAt < graceAfterResultsMs) return;
      console.error('Jest did not end after its results: a test left something open.');
      child.kill('SIGKILL');
    }, 1_000);
    child.once('exit', (code) => {
      clearInterval(watch);
      resolve(code);
    });
  });
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'])
  process.once(signal, () => {
    endTree();
    removeRunFolder();
    process.exit(128 + constants.signals[signal]);
  });

const { passed, failed } = await main().catch((error) => {
  console.error(error.message);
  return { passed: 0, failed: 1 };
});
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
