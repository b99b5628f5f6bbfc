import { createDocumentCache } from '../../../src/interfaces/graphql/document-cache.js';
import { sha256 } from '../../../src/lib/sha256.js';
import { PUBLIC_SCHEMA } from './measure.js';

/** What the cache holds is another document each time, so that identity tells whether it was kept. */
let check: ReturnType<typeof createDocumentCache>['check'];
beforeEach(() => {
  const cache = createDocumentCache(PUBLIC_SCHEMA);
  check = (source) => cache.check(source);
});

test('a document in use is parsed and validated once', () => {
  expect(check('{ __typename }')).toBe(check('{ __typename }'));
});

test.each(['{ nothing }', '{', 'subscription { __typename }'])(
  'a document that cannot be executed is not kept, since its errors are large: %s',
  (source) => {
    expect(check(source).errors).not.toEqual([]);
    expect(check(source)).not.toBe(check(source));
  },
);

test('however short documents are, a bounded number of them is kept', () => {
  const first = check('{ a: __typename }');
  for (let i = 0; i < 3500; i++) check(`{ a${i}: __typename }`);
  expect(check('{ a: __typename }')).not.toBe(first);
  expect(check('{ a3499: __typename }')).toBe(check('{ a3499: __typename }'));
});

test('Apollo executes what was checked, as long as it is kept: of long documents the latest few dozen', async () => {
  const cache = createDocumentCache(PUBLIC_SCHEMA);
  const inStore = (source: string) => cache.store.get(`hash of the schema:${sha256(source)}`);
  const sources = Array.from({ length: 200 }, (_, i) => `{ ${`a${i}: __typename `.repeat(150)} }`);
  const documents = sources.map((source) => cache.check(source).document);
  const kept = await Promise.all(sources.map(inStore));
  const count = kept.filter((document) => document !== undefined).length;
  expect(kept.at(-1)).toBe(documents.at(-1));
  expect(kept.map((document) => document !== undefined)).toEqual(sources.map((source) => cache.has(source)));
  expect(count).toBeGreaterThan(20);
  expect(count).toBeLessThan(100);
});

test('Apollo knows no document that cannot be executed', async () => {
  const cache = createDocumentCache(PUBLIC_SCHEMA);
  cache.check('{ nothing }');
  expect(await cache.store.get(sha256('{ nothing }'))).toBeUndefined();
});
