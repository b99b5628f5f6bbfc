import { createDocumentCache } from '../../src/graphql/document-cache.js';
import { PUBLIC_SCHEMA } from './measure.js';

/** What the cache holds is another document each time, so that identity tells whether it was kept. */
let check: ReturnType<typeof createDocumentCache>;
beforeEach(() => {
  check = createDocumentCache(PUBLIC_SCHEMA);
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
