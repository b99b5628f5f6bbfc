/**
 * What `npm run test:mutation` runs: Stryker, part by part (parts.mjs), over one mongod. Fails when the tests of a part
 * notice less of its mutants than stryker.config.mjs asks for.
 *
 *   node test/mutation/run.mjs [part …] [Stryker's options]
 *
 * With `--mutate <files>` and no part, the tests of all parts are run against these files.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureTools } from '../../scripts/tools.mjs';
import { parts } from './parts.mjs';

const require = createRequire(import.meta.url);
const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const strykerFolder = ensureTools('mutation');
const jestFolder = ensureTools('../test');
require('../support/register-typescript.cjs');
const { default: startMongod } = require('../support/global-setup.ts');
const { default: stopMongod } = require('../support/global-teardown.ts');

const args = process.argv.slice(2);
const firstOption = args.findIndex((arg) => arg.startsWith('-'));
const named = firstOption === -1 ? args : args.slice(0, firstOption);
const options = firstOption === -1 ? [] : args.slice(firstOption);

/** Undefined stands for all parts together. */
function chosenParts() {
  if (named.length > 0) return named;
  return options.includes('--mutate') ? [undefined] : Object.keys(parts);
}

function mutate(part) {
  // Stryker looks for jest in the folder where it runs, which is a copy of the repository.
  const env = {
    ...process.env,
    NODE_PATH: join(jestFolder, 'node_modules'),
    ...(part !== undefined && { MUTATED_PART: part }),
  };
  const stryker = join(strykerFolder, 'node_modules/.bin/stryker');
  return spawnSync(stryker, ['run', ...options], { cwd: root, env, stdio: 'inherit' }).status === 0;
}

const unknown = named.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}. There are ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}
await startMongod();
try {
  const weak = chosenParts().filter((part) => !mutate(part));
  if (weak.length > 0) {
    console.error(`Too many mutants survive: ${weak.map((part) => part ?? 'all').join(', ')}`);
    process.exitCode = 1;
  }
} finally {
  await stopMongod();
}
