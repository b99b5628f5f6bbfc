import { graphqlSync, GraphQLNonNull, GraphQLObjectType, GraphQLSchema } from 'graphql';
import { Int64Scalar } from '../../../../src/interfaces/graphql/schema/int64-scalar.js';
import { INT64_MAX, INT64_MIN } from '../../../../src/lib/int64.js';

/** What a resolver answers with, when that is not what it was given. */
let answer: unknown;
beforeEach(() => {
  answer = undefined;
});

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      echo: {
        type: Int64Scalar,
        args: { value: { type: new GraphQLNonNull(Int64Scalar) } },
        resolve: (_source, { value }: { value: bigint }) => answer ?? value,
      },
    },
  }),
});

const ofLiteral = (literal: string) => graphqlSync({ schema, source: `{ echo(value: ${literal}) }` });
const ofVariable = (value: unknown) =>
  graphqlSync({ schema, source: 'query ($v: Int64!) { echo(value: $v) }', variableValues: { v: value } });
const refusalOf = ({ errors }: ReturnType<typeof ofLiteral>) => errors?.map(({ message }) => message);

test.each(['0', '-1', '9007199254740993', String(INT64_MAX), String(INT64_MIN)])(
  'takes %s as a literal, in digits or as a string, and as a variable, and answers with its digits',
  (digits) => {
    const echoed = { data: { echo: digits } };
    expect(ofLiteral(digits)).toEqual(echoed);
    expect(ofLiteral(`"${digits}"`)).toEqual(echoed);
    expect(ofVariable(digits)).toEqual(echoed);
    expect(ofVariable(BigInt(digits))).toEqual(echoed);
  },
);

test('takes a number in a variable', () => {
  expect(ofVariable(-5)).toEqual({ data: { echo: '-5' } });
});

describe('a refusal tells what is taken and what was given', () => {
  const taken = 'must be an integer from -2^63 to 2^63-1; received';

  test.each([
    ['1.5', 'the number 1.5'],
    ['9223372036854775808', 'the number 9223372036854775808'],
    ['"05"', 'the string "05"'],
    ['true', 'the boolean true'],
    ['[1, 2]', 'a list'],
    ['{ a: 1 }', 'an object'],
    [`"${'x'.repeat(60)}"`, `the string "${'x'.repeat(50)}…"`],
  ])('the literal %s', (literal, shown) => {
    expect(refusalOf(ofLiteral(literal))).toEqual([`${taken} ${shown}`]);
  });

  test.each<[unknown, string]>([
    [1.5, 'the number 1.5'],
    [INT64_MAX + 1n, 'the number 9223372036854775808'],
    ['05', 'the string "05"'],
    [true, 'the boolean true'],
    [[5], 'a list'],
    [{ a: 1 }, 'an object'],
    // What parse-json.ts makes of 1e30.
    [NaN, 'a number out of range'],
  ])('the variable %p', (value, shown) => {
    const [refusal] = refusalOf(ofVariable(value)) ?? [];
    expect(refusal?.endsWith(`${taken} ${shown}`)).toBe(true);
  });
});

test.each([INT64_MAX + 1n, INT64_MIN - 1n, 5, '5'])('never answers with what is no int64: %p', (value) => {
  answer = value;
  expect(ofLiteral('1')).toMatchObject({
    data: { echo: null },
    errors: [{ message: 'Int64 cannot represent this value' }],
  });
});
