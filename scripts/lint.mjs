/**
 * `npm run lint`: every check that reads the sources without running them. `npm run lint -- <file>…` checks the rules and
 * the format of these files only.
 */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureTools } from './tools.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = join(ensureTools('lint'), 'node_modules/.bin');
// ESLint's rules need the types of what the tests import.
ensureTools('../test');

const files = process.argv.slice(2);
const paths = files.length > 0 ? files : ['.'];
const checks = [
  [join(bin, 'eslint'), '--max-warnings', '0', ...paths],
  [join(bin, 'prettier'), '--check', ...paths],
];
if (files.length === 0)
  checks.push(
    [join(bin, 'depcruise'), 'src', 'test', 'dashboard', 'bench', '--config', '.dependency-cruiser.cjs'],
    [process.execPath, join(root, 'scripts/check-patterns.mjs')],
    [process.execPath, join(root, 'tools/prose/lint.mjs')],
  );
for (const [program, ...args] of checks) {
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}
