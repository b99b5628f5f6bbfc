import { exactJson, hasBigInt } from '../../src/lib/exact-json.js';

test('bigints are numbers with all digits; the rest is as JSON.stringify writes it', () => {
  const rest = {
    text: 'a"\u2028',
    none: undefined,
    nothing: null,
    list: [1, undefined, { is: true }],
    of: {},
  };
  expect(exactJson(rest)).toBe(JSON.stringify(rest));
  expect(exactJson({ id: 9007199254740993n, list: [-(2n ** 63n)] })).toBe(
    '{"id":9007199254740993,"list":[-9223372036854775808]}',
  );
});

test.each([
  [undefined, false],
  [{ a: 1 }, false],
  [{ a: 1, b: 1n }, true],
])('whether a member is a bigint', (value, expected) => {
  expect(hasBigInt(value)).toBe(expected);
});
