import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, validate } from 'graphql';
import { PUBLIC_SCHEMA } from './measure.js';

const PAGE = readFileSync(join(__dirname, '../../../docs/graphql.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/^```graphql\n(.*?)^```$/gms)].map(([, text = '']) => text);

test('the requests in docs/graphql.md work', () => {
  expect(EXAMPLES.length).toBeGreaterThan(0);
  for (const example of EXAMPLES) expect(validate(PUBLIC_SCHEMA, parse(example))).toEqual([]);
});
