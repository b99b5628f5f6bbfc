import fc from 'fast-check';
import { idOf, parseLine, readPlainLine } from '../../../../src/features/pets/import/parse-line.js';
import { parseJson } from '../../../../src/lib/parse-json.js';
import { anyText } from '../../../support/any-text.js';

/** What could stand where a member or a value does, right and wrong. */
const often = <T>(arbitrary: fc.Arbitrary<T>) => ({ arbitrary, weight: 4 });
const id = fc.oneof(
  often(fc.maxSafeNat()),
  fc.constantFrom('0', '007', '-1', '1.0', '1e3', '"7"', '9007199254740993'),
);
const name = fc.oneof(
  often(fc.constantFrom('"Pixel"', '"Zoë 🐈"', '"\u007f\u2028"', '"}"')),
  anyText().map((text) => JSON.stringify(text)),
  anyText().map((text) => `"${text}"`),
  fc.constantFrom('"a\\"b"', '"\u0000"', 'null', '5'),
);
const categoryId = fc.oneof(
  often(fc.integer()),
  fc.constantFrom('-0', '01', '5.5', '123456789012345678', '+1'),
);
const status = fc.oneof(
  often(fc.constantFrom('"sold"', '"pending"', '"available"')),
  fc.constantFrom('"Sold"', '"sold', 'null', '""'),
);
const space = fc.oneof(often(fc.constantFrom('', ' ')), fc.constantFrom('  ', '\t'));

const line = fc
  .record({
    members: fc.tuple(
      fc.option(id, { nil: undefined }),
      fc.option(name, { nil: undefined, freq: 20 }),
      fc.option(categoryId, { nil: undefined, freq: 20 }),
      fc.option(status, { nil: undefined }),
    ),
    colon: space,
    comma: space,
    tail: fc.oneof(often(fc.constant('')), fc.constantFrom(' ', ',', '}', '{}')),
  })
  .map(({ members, colon, comma, tail }) => {
    const written = ['id', 'name', 'categoryId', 'status'].flatMap((member, i) =>
      members[i] === undefined ? [] : [`"${member}":${colon}${members[i]}`],
    );
    return `{${written.join(`,${comma}`)}}${tail}`;
  });

test('reads the same as JSON.parse', () => {
  let read = 0;
  fc.assert(
    fc.property(line, (text) => {
      const content = readPlainLine(text);
      if (content === undefined) return;
      read += 1;
      const { id: ownId, ...newPet } = parseJson(text) as Record<string, unknown>;
      // A status that is not there is undefined on both sides.
      expect(content).toEqual({ id: ownId, newPet });
    }),
    { numRuns: 5000 },
  );
  expect(read).toBeGreaterThan(100);
});

test.each([
  '{"id":7,"name":"Pixel","categoryId":2,"status":"sold"}',
  '{"name":"Zoë 🐈","categoryId":-9}',
  '{"id": 7, "name": "Pixel", "categoryId": 2, "status": "sold"}',
])('it reads %s', (text) => {
  const { id: ownId, ...newPet } = parseJson(text) as Record<string, unknown>;
  expect(readPlainLine(text)).toEqual({ id: ownId, newPet });
});

describe('a line', () => {
  const pet = (id: string) => `{"id":${id},"name":"A","categoryId":1}`;
  const withId = (id: bigint | undefined) => ({
    kind: 'pet',
    pet: { name: 'A', categoryId: 1n, status: 'available' },
    id,
  });

  test.each([
    ['{"name":"A","categoryId":1}', undefined],
    ['{ "categoryId":1, "name":"A" }', undefined],
    [pet('1'), 1n],
    [pet('4611686018427387904'), 2n ** 62n],
  ])('%s is a pet', (text, id) => {
    expect(parseLine(text)).toEqual(withId(id));
    expect(idOf(text)).toBe(id);
  });

  test.each([
    [pet('0'), 'received the number 0'],
    [pet('-1'), 'received the number -1'],
    [pet('4611686018427387905'), 'received the number 4611686018427387905'],
    [pet('"7"'), 'received the string "7"'],
    [pet('1.5'), 'received the number 1.5'],
  ])('%s has no id that a pet can have', (text, received) => {
    expect(parseLine(text)).toEqual({
      kind: 'rejected',
      reason: `id: must be an integer from 1 to 4611686018427387904 (2^62), which leaves as many ids for pets that are added later; ${received}`,
    });
    expect(idOf(text)).toBeUndefined();
  });

  test.each([
    ['[1]', 'body: must be a JSON object; received a list'],
    ['null', 'body: must be a JSON object; received null'],
    ['"A"', 'body: must be a JSON object; received the string "A"'],
    ['{"name":"","categoryId":1}', 'name: must not be blank'],
  ])('%s is rejected: %s', (text, reason) => {
    expect(parseLine(text)).toEqual({ kind: 'rejected', reason });
  });

  test('can be blank, or unreadable', () => {
    expect(parseLine('')).toEqual({ kind: 'blank' });
    expect(parseLine({ unreadable: 'is longer than 65536 bytes' })).toEqual({
      kind: 'rejected',
      reason: 'is longer than 65536 bytes',
    });
  });
});
