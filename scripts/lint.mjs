/**
 * `npm run lint`: every check that reads the sources without running them. `npm run lint -- <file>…` checks the rules and
 * the format of these files only.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureTools } from './tools.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(ensureTools('lint'), 'node_modules/.bin');
// ESLint's rules need the types of what the tests import.
ensureTools('../test');

const files = process.argv.slice(2);
const paths = files.length > 0 ? files : ['.'];
const rules = [join(bin, 'eslint'), '--max-warnings', '0', ...paths];
const others = [[join(bin, 'prettier'), '--check', ...paths]];
if (files.length === 0)
  others.push(
    [join(bin, 'depcruise'), 'src', 'test', 'dashboard', 'bench', '--config', '.dependency-cruiser.cjs'],
    [process.execPath, join(root, 'scripts/check-patterns.mjs')],
    [process.execPath, join(root, 'tools/prose/lint.mjs')],
  );

/** Runs programs one after the other. Resolves to whether all of them succeeded, also after a failure. */
async function runInTurn(programs) {
  let isClean = true;
  for (const [program, ...args] of programs) {
    const child = spawn(program, args, { cwd: root, stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    isClean &&= code === 0;
  }
  return isClean;
}

// The rules take as long as everything else together, on one processor.
const results = await Promise.all([runInTurn([rules]), runInTurn(others)]);
process.exitCode = results.every(Boolean) ? 0 : 1;
