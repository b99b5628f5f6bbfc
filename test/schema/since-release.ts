/**
 * `npm run schema:breaking`: compares schema/ with the interface of the last release, which schema/released/ keeps, and
 * exits 1 when a client of that release may break.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { breakingOpenApi, breakingSdl } from './breaking-changes.js';

const SCHEMA = join(__dirname, '../../schema');
const COMPARISONS = [
  ['schema.graphql', breakingSdl],
  ['openapi.yaml', breakingOpenApi],
] as const;

function main(): number {
  const [version, ...others] = readdirSync(join(SCHEMA, 'released'));
  if (version === undefined || others.length > 0)
    throw new Error('schema/released must have one folder: the last release.');
  const changes = COMPARISONS.flatMap(([file, compare]) => {
    const [before, now] = [join('released', version, file), file].map((path) =>
      readFileSync(join(SCHEMA, path), 'utf8'),
    );
    return compare(before ?? '', now ?? '').map((change) => `schema/${file}: ${change}`);
  });
  for (const change of changes) console.error(change);
  const count = changes.length;
  console.log(
    count === 0 ? `Nothing that ${version} had is broken.` : `${count} breaking changes since ${version}.`,
  );
  return count === 0 ? 0 : 1;
}

process.exitCode = main();
