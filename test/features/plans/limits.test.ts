import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { LIMIT_FIELDS, LIMITS } from '../../../src/features/plans/plans.js';
import { WINDOW_NAMES } from '../../../src/features/plans/window.js';
import { readSdl } from '../../../src/interfaces/docs/schema-files.js';

const root = join(__dirname, '../../..');

test('each window has a limit, in the same order', () => {
  expect(Object.keys(LIMITS)).toEqual(WINDOW_NAMES);
});

test.each(['Plan', 'CustomQuota', 'CustomQuotaInput'])('the GraphQL type %s has each limit', (name) => {
  const type = buildSchema(readSdl()).getType(name);
  if (type === undefined || !('getFields' in type)) throw new Error(`${name} has no fields`);
  expect(Object.keys(type.getFields())).toEqual(expect.arrayContaining(LIMIT_FIELDS));
});

/** Each selects the limits of a plan or of a project, or has them all in its text. */
test.each([
  'dashboard/pages/overview/overview-documents.graphql',
  'dashboard/pages/plans/plan-documents.graphql',
  'dashboard/pages/admin/projects/project-documents.graphql',
])('%s selects each limit', async (file) => {
  const words = (await readFile(join(root, file), 'utf8')).split(/\W+/);
  expect(words).toEqual(expect.arrayContaining(LIMIT_FIELDS));
});

test.each(['docs/quotas.md'])('%s says the limit of each window', async (file) => {
  const text = await readFile(join(root, file), 'utf8');
  for (const name of WINDOW_NAMES) {
    expect(text).toContain(`Requests per ${name}`);
    expect(text).toContain(`--per-${name}`);
  }
});
