import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema, isObjectType } from 'graphql';
import { readSdl } from '../../../src/interfaces/docs/schema-files.js';
import type { Operation, Stability } from '../../../src/http/versioning/operation.js';
import { API_VERSION, BASE_PATH } from '../../../src/http/versioning/api-version.js';
import { OPERATIONS } from '../../../src/http/versioning/operations.js';
import { dayOf } from '../../../src/http/versioning/removal.js';
import { writeFormatted } from '../../support/format-file.js';
import { openApiDocument } from '../../support/openapi-document.js';
import { operationsTable } from './operations-table.js';

const DAY_MS = 86_400_000;
/** What docs/versioning.md promises between the announcement and the end, in days. */
const NOTICE_DAYS: Record<Stability, number> = { stable: 365, beta: 90, experimental: 0 };

const schema = buildSchema(readSdl());
const all: [string, Operation][] = Object.entries({ ...OPERATIONS.rest, ...OPERATIONS.graphql });

it('has every operation of REST and every root field of GraphQL', () => {
  const versioned = Object.entries(OPERATIONS.rest).filter(([, { path }]) =>
    path.startsWith(`${BASE_PATH}/`),
  );
  const described = Object.entries(openApiDocument().paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, requestBody }]) => ({
      operationId,
      method: method.toUpperCase(),
      path: BASE_PATH + path,
      accepts: Object.keys(requestBody?.content ?? {}),
    })),
  );
  expect(
    versioned.map(([operationId, { method, path, accepts }]) => ({ operationId, method, path, accepts })),
  ).toEqual(described);

  const roots = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name}.${field}`),
  );
  expect(roots.length).toBeGreaterThan(20);
  expect(roots.filter((coordinate) => !(coordinate in OPERATIONS.graphql))).toEqual([]);
});

it('has no field that the schema has not', () => {
  for (const coordinate of Object.keys(OPERATIONS.graphql)) {
    const [typeName = '', fieldName = ''] = coordinate.split('.');
    const type = schema.getType(typeName);
    expect([coordinate, isObjectType(type) && fieldName in type.getFields()]).toEqual([coordinate, true]);
  }
});

it.each(all)('%s came with a version that is out, and ends no sooner than promised', (_, operation) => {
  const [major] = API_VERSION.split('.');
  expect(operation.since.localeCompare(API_VERSION, 'en', { numeric: true })).toBeLessThanOrEqual(0);
  expect(operation.since.split('.')[0]).toBe(major);
  const { deprecatedMs = 0, sunsetMs = Infinity } = operation.deprecation ?? {};
  expect((sunsetMs - deprecatedMs) / DAY_MS).toBeGreaterThanOrEqual(NOTICE_DAYS[operation.stability]);
  expect(operation.deprecation?.instead ?? 'Nothing.').toMatch(/^[A-Z].*\.$/);
});

it('docs/versioning.md has the table (UPDATE_SCHEMA=1 rewrites it)', async () => {
  const file = join(__dirname, '../../../docs/versioning.md');
  const page = await readFile(file, 'utf8');
  const [before, after] = page.split(/(?<=<!-- operations -->\n)[\s\S]*(?=<!-- \/operations -->)/);
  const expected = `${before}\n${operationsTable(OPERATIONS)}\n\n${after}`;
  if (process.env['UPDATE_SCHEMA'] === '1') await writeFormatted(file, expected);
  expect(tableOf(await readFile(file, 'utf8'))).toBe(tableOf(expected));
});

it('CHANGELOG.md has a line under Deprecated for each that ends, with both days', async () => {
  const changelog = await readFile(join(__dirname, '../../../CHANGELOG.md'), 'utf8');
  const lines = changelog
    .split(/^(?=#{2,3} )/m)
    .filter((section) => section.startsWith('### Deprecated\n'))
    .flatMap((section) => section.split('\n'));
  const ending = all.flatMap(([name, { deprecation }]) => (deprecation ? [{ name, ...deprecation }] : []));
  expect(ending.length).toBeGreaterThan(0);
  for (const { name, deprecatedMs, sunsetMs } of ending) {
    const line = lines.find((text) => text.includes(`\`${name}\``));
    expect([name, line]).toEqual([name, expect.stringContaining(dayOf(deprecatedMs))]);
    expect(line).toContain(dayOf(sunsetMs));
  }
});

/** Without what a formatter does to columns. */
function tableOf(page: string): string {
  return page.replace(/ +\|/g, ' |').replace(/-{3,}/g, '---');
}
