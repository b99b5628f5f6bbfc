import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buildSchema, validate } from 'graphql';
import { findPageDocuments } from '../../../src/interfaces/dashboard/page-files.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';
import { findDocuments } from './documents.js';
import { typeFaults } from './type-faults.js';

const ROOT = join(__dirname, '../../..');
const { bundleDashboard } = createRequire(__filename)('../../../bin/bundle-dashboard.cjs') as {
  bundleDashboard: (root: string, folder: string) => void;
};
const folder = useTemporaryFolder();

const schema = buildSchema(readFileSync(join(ROOT, 'schema', 'schema.graphql'), 'utf8'));
const { checker, documents } = findDocuments();

test('every operation of the dashboard is valid against the schema', () => {
  expect(documents.length).toBeGreaterThan(0);
  const faults = documents.flatMap(({ place, document }) =>
    validate(schema, document).map(({ message }) => `${place}: ${message}`),
  );
  expect(faults).toEqual([]);
});

test('the types of every operation are what the schema says', () => {
  expect(documents.flatMap((document) => typeFaults(schema, checker, document))).toEqual([]);
});

test('a build tells the gateway of every operation, to the byte, and of nothing else', () => {
  bundleDashboard(ROOT, folder());
  expect(findPageDocuments(folder()).sort()).toEqual(documents.map(({ text }) => text).sort());
});
