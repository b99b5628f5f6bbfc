import type { Operation } from '../../../src/http/versioning/operation.js';
import type { Operations } from '../../../src/http/versioning/operations.js';
import { dayOf } from '../../../src/http/versioning/removal.js';

/** The table of docs/versioning.md. */
export function operationsTable({ rest, graphql }: Operations): string {
  const rows = [...Object.entries(rest), ...Object.entries(graphql)].map(([name, operation]) =>
    rowOf(name, operation),
  );
  return ['| Operation | Stability | Since | Deprecation |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function rowOf(name: string, { stability, since, deprecation }: Operation): string {
  const end = deprecation === undefined ? '' : `removed on ${dayOf(deprecation.sunsetMs)}`;
  return `| \`${name}\` | ${stability} | ${since} | ${end} |`;
}
