import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSchema, validate } from 'graphql';
import { findDocuments } from './documents.js';
import { typeFaults } from './type-faults.js';

const schema = buildSchema(readFileSync(join(__dirname, '..', '..', 'schema', 'schema.graphql'), 'utf8'));
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
