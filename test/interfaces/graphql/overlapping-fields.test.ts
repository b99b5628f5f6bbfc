import fc from 'fast-check';
import { buildSchema, OverlappingFieldsCanBeMergedRule, parse, validate } from 'graphql';
import { overlappingFieldsRule } from '../../../src/interfaces/graphql/overlapping-fields.js';

/** Has what ours has not: an interface, and types that differ below it. */
const SCHEMA = buildSchema(`
  interface Animal { name(short: Boolean, by: By): String friend: Animal friends: [Animal] }
  input By { a: Int b: [Int] }
  type Dog implements Animal { name(short: Boolean, by: By): String friend: Dog friends: [Animal] age: Int }
  type Cat implements Animal { name(short: Boolean, by: By): String friend: Animal friends: [Cat!] age: String }
  type Query { animal: Animal dog: Dog cat: Cat }
`);

const messages = (source: string) =>
  validate(SCHEMA, parse(source), [overlappingFieldsRule]).map(({ message }) => message);
const messagesOfGraphQLJs = (source: string) =>
  validate(SCHEMA, parse(source), [OverlappingFieldsCanBeMergedRule]).map(({ message }) => message);

test.each([
  '{ dog { name: age name } }',
  '{ dog { name(short: true) name } }',
  '{ dog { age } dog { age: name } }',
  '{ dog { friend { age } } dog { friend { age: name } } }',
  '{ animal { ... on Dog { age } ... on Cat { age } } }',
  '{ animal { ... on Dog { f: friend { age } } ... on Cat { f: friend { age: name } } } }',
  '{ animal { ... on Dog { friends { name } } ... on Cat { friends { name } } } }',
  'query { dog { ...A ...B } } fragment A on Dog { x: name } fragment B on Dog { x: age }',
])('tells a conflict as graphql-js does: %s', (source) => {
  expect(messages(source)).toEqual(messagesOfGraphQLJs(source));
  expect(messages(source)).toHaveLength(1);
});

test.each([
  '{ dog { name name } dog { name } }',
  '{ dog { name(by: { a: 1, b: [2] }) name(by: { b: [2], a: 1 }) } }',
  'query ($v: Boolean) { dog { name(short: $v) name(short: $v) } }',
  '{ animal { ... on Dog { x: age } ... on Cat { y: age } } }',
  '{ animal { ... on Dog { x: name(short: true) } ... on Cat { x: name(short: false) } } }',
  '{ unknown unknown { more } }',
  '{ dog { ...A } } fragment A on Dog { friend { ...A } }',
])('finds nothing in %s', (source) => {
  expect(messages(source)).toEqual([]);
});

const field = fc.constantFrom(
  ...[
    'name',
    'age',
    'name: age',
    'x: name',
    'x: age',
    'x: name(short: true)',
    'name(short: false)',
    'nothing',
  ],
);
const { selections } = fc.letrec<{ selections: string }>((tie) => ({
  selections: fc
    .array(
      fc.oneof(
        { maxDepth: 4, depthIdentifier: 'fields' },
        field,
        fc.constantFrom('...F0', '...F1', '...F2'),
        fc
          .tuple(
            fc.constantFrom(
              'friend',
              'x: friend',
              'friends',
              '... on Dog',
              '... on Cat',
              '... on Animal',
              '...',
            ),
            tie('selections'),
          )
          .map(([name, inner]) => `${name} { ${inner} }`),
      ),
      { minLength: 1, maxLength: 4, depthIdentifier: 'fields' },
    )
    .map((all) => all.join(' ')),
}));

/** What no operation uses is another rule's: graphql-js looks into it here as well. */
const ALL_USED = 'u0: animal { ...F0 } u1: animal { ...F1 } u2: animal { ...F2 }';

test('a document has a conflict exactly when graphql-js finds one', () => {
  const documents = fc.tuple(selections, selections, selections, selections, selections).map(
    ([one, other, ...fragments]) =>
      `{ animal { ${one} } dog { ${other} } dog { ${one} } ${ALL_USED} } ${fragments
        // A fragment spreads later ones only: circles are another rule's.
        .map(
          (inner, i) =>
            `fragment F${i} on Animal { ${inner.replace(/\.\.\.F(\d)/g, (all, n) => (Number(n) > i ? all : 'name'))} }`,
        )
        .join(' ')}`,
  );
  fc.assert(
    fc.property(documents, (source) => {
      expect(messages(source).length > 0).toBe(messagesOfGraphQLJs(source).length > 0);
    }),
    { numRuns: 500 },
  );
});

describe('is decided in few steps, or given up', () => {
  const times = (n: number, text: (i: number) => string) =>
    Array.from({ length: n }, (_, i) => text(i)).join(' ');

  test.each([
    ['one field 600 times', `{ ${'dog { age } '.repeat(600)} }`],
    [
      '300 fragments side by side',
      `{ ${times(200, (i) => `...F${i}`)} } ${times(200, (i) => `fragment F${i} on Query { dog { age } }`)}`,
    ],
    [
      'a chain that doubles',
      `{ dog { ...F0 } } ${times(60, (i) => `fragment F${i} on Dog { friend { ...F${i + 1} } friend { ...F${i + 1} } }`)} fragment F60 on Dog { age }`,
    ],
  ])('%s', (_, source) => {
    expect(messages(source)).toEqual([]);
  });

  /** On every level each name leads to another half of the fragments: the combinations have no end. */
  test('combinations of fragments without end', () => {
    const width = 12;
    const fragments = times(width * width, (n) => {
      const [level, i] = [Math.floor(n / width), n % width];
      const next = (bit: number) =>
        `...L${level + 1}N${(i * 2 + bit) % width} ...L${level + 1}N${(i + 1 + 4 * bit) % width}`;
      return `fragment L${level}N${i} on Dog { ${level === width - 1 ? 'age' : `a: friend { ${next(0)} } b: friend { ${next(1)} }`} }`;
    });
    expect(() => messages(`{ dog { ...L0N0 } } ${fragments}`)).toThrow('too much work to validate');
  });
});
