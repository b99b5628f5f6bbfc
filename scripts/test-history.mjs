/**
 * Checks every answer of several gateways against the limits, while processes and networks fail:
 *
 *   npm run test:history -- [--minutes N] [--seed N] [--store mongodb|redis]
 *
 * Without --store, one store after the other. What follows goes to Jest.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const { values, tokens } = parseArgs({
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string' },
    store: { type: 'string' },
  },
  tokens: true,
  allowPositionals: true,
});
for (const name of ['minutes', 'seed'])
  if (values[name] !== undefined && !(Number(values[name]) > 0))
    throw new Error(`--${name} must be a number`);
if (![undefined, 'mongodb', 'redis'].includes(values.store))
  throw new Error('--store must be mongodb or redis');

const env = { ...process.env, HISTORY_MINUTES: values.minutes };
if (values.seed !== undefined) env.HISTORY_SEED = values.seed;
if (values.store !== undefined) env.HISTORY_STORE = values.store;
const rest = tokens.filter(({ kind }) => kind === 'positional').map(({ value }) => value);
const test = [join(root, 'test', 'run.mjs'), '--suite', 'faults/history', ...rest];
process.exitCode = spawnSync(process.execPath, test, { cwd: root, stdio: 'inherit', env }).status ?? 1;
