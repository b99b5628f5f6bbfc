import { getOperationAST, parse } from 'graphql';
import { readRoot } from '../../../src/interfaces/graphql/cost.js';
import { PUBLIC_SCHEMA } from './measure.js';

function cost(source: string, variables: Record<string, unknown> = {}, operationName?: string): number {
  const document = parse(source);
  const operation = getOperationAST(document, operationName);
  if (operation == null) throw new Error('no such operation');
  return readRoot(PUBLIC_SCHEMA, document, operation, variables).cost;
}

const fields = (count: number) => Array.from({ length: count }, (_, i) => `f${i}: pets { id }`).join(' ');

describe('an operation costs the root fields that execution will run', () => {
  test.each<[string, number, string, Record<string, unknown>?]>([
    ['one field', 1, '{ pets { id } }'],
    ['what is below a field is free', 1, '{ pets { id name categoryId status cursor } }'],
    ['two fields', 2, '{ pets { id } plans { id } }'],
    ['20 aliases', 20, `{ ${fields(20)} }`],
    ['the same response name twice', 1, '{ pets { id } pets { name } }'],
    ['an alias beside the name itself', 2, '{ pets { id } a: pets { id } }'],
    ['two fields under one alias would not validate: one name', 1, '{ a: pets { id } a: pets { id } }'],
    ['__typename is free', 1, '{ pets { id } __typename a: __typename }'],
    ['__typename alone costs what any request does', 1, '{ __typename }'],
    ['introspection', 1, '{ __schema { types { name } } }'],
    ['introspection beside a field', 2, '{ __schema { types { name } } pets { id } }'],
    ['inline fragments', 3, '{ ... { a: pets { id } ... on Query { b: pets { id } } } c: pets { id } }'],
    [
      'nested fragments',
      3,
      '{ ...A } fragment A on Query { a: plans { id } ...B } fragment B on Query { b: plans { id } c: plans { id } }',
    ],
    ['a fragment twice', 1, '{ ...A ...A } fragment A on Query { plans { id } }'],
    ['a fragment and the same field', 1, '{ plans { id } ...A } fragment A on Query { plans { name } }'],
    [
      'a fragment that is not used',
      1,
      '{ plans { id } } fragment A on Query { a: plans { id } b: plans { id } }',
    ],
    ['mutations', 3, 'mutation { a: liftBan { x } b: liftBan { x } c: liftBan { x } }'],
    ['@skip(true)', 1, '{ a: plans { id } b: plans @skip(if: true) { id } }'],
    ['@skip(false)', 2, '{ a: plans { id } b: plans @skip(if: false) { id } }'],
    ['@include(false)', 1, '{ a: plans { id } b: plans @include(if: false) { id } }'],
    ['@include(true)', 2, '{ a: plans { id } b: plans @include(if: true) { id } }'],
    [
      'both, of which one refuses',
      1,
      '{ a: plans { id } b: plans @include(if: true) @skip(if: true) { id } }',
    ],
    ['everything skipped costs what any request does', 1, '{ a: plans @skip(if: true) { id } }'],
    [
      'a skipped inline fragment',
      1,
      '{ a: plans { id } ... @skip(if: true) { b: plans { id } c: plans { id } } }',
    ],
    [
      'a fragment skipped at one place and not at another',
      2,
      '{ ...A @skip(if: true) ...A } fragment A on Query { a: plans { id } b: plans { id } }',
    ],
    [
      'a variable',
      2,
      'query ($x: Boolean!) { a: plans { id } b: plans @include(if: $x) { id } }',
      { x: true },
    ],
    [
      'a variable that says no',
      1,
      'query ($x: Boolean!) { a: plans { id } b: plans @include(if: $x) { id } }',
      { x: false },
    ],
    [
      'the default of a variable',
      2,
      'query ($x: Boolean = true) { a: plans { id } b: plans @include(if: $x) { id } }',
    ],
    [
      'a value over the default',
      1,
      'query ($x: Boolean = true) { a: plans { id } b: plans @include(if: $x) { id } }',
      { x: false },
    ],
    ['a directive below the root', 1, '{ plans { id @skip(if: true) name } }'],
  ])('%s: %d', (_what, expected, source, variables = {}) => {
    expect(cost(source, variables)).toBe(expected);
  });

  test('the operation that is asked for, not those beside it', () => {
    const source = `query A { plans { id } } query B { ${fields(7)} }`;
    expect([cost(source, {}, 'A'), cost(source, {}, 'B')]).toEqual([1, 7]);
  });

  test('a variable is not taken from the prototype of the variables', () => {
    const source =
      'query ($constructor: Boolean = false) { a: plans { id } b: plans @include(if: $constructor) { id } }';
    expect(cost(source)).toBe(1);
  });

  test('a bomb of fragments is counted in linear time: each is entered once', () => {
    const levels = 400;
    const bomb = Array.from(
      { length: levels },
      (_, i) => `fragment F${i} on Query { ${i + 1 < levels ? `...F${i + 1} ...F${i + 1}` : 'pets { id }'} }`,
    );
    // Expanded naively this is 2^400 fields: it would not end.
    expect(cost(`{ ...F0 ...F0 } ${bomb.join(' ')}`)).toBe(1);
  });
});
