/**
 * `npm run schema:breaking`: compares schema/ with the newest release, and exits 1 when a client of that release
 * may break.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakingOpenApi, breakingSdl } from './breaking-changes.js';

const ROOT = join(__dirname, '../..');
const COMPARISONS = [
  ['schema/schema.graphql', breakingSdl],
  ['schema/openapi.yaml', breakingOpenApi],
] as const;

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function main(): number {
  const [tag] = git('tag', '--list', 'v*', '--sort=-version:refname').split('\n');
  if (!tag) {
    console.log('There is no release yet (no git tag v*): nothing to compare with.');
    return 0;
  }
  let found = 0;
  for (const [file, compare] of COMPARISONS) {
    const changes = compare(git('show', `${tag}:${file}`), readFileSync(join(ROOT, file), 'utf8'));
    for (const change of changes) console.error(`${file}: ${change}`);
    found += changes.length;
  }
  console.log(found === 0 ? `Nothing that ${tag} had is broken.` : `${found} breaking changes since ${tag}.`);
  return found === 0 ? 0 : 1;
}

process.exitCode = main();
