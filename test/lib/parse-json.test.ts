import fc from 'fast-check';
import { JsonSyntaxError, parseJson, type JsonValue } from '../../src/lib/parse-json.js';
import { anyText } from '../support/any-text.js';

const refusalOf = (text: string): JsonSyntaxError => {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error('it was accepted');
};

/** Numbers that JSON.parse loses nothing of. */
const exactNumber = fc.oneof(
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
);
const key = fc.oneof(anyText(), fc.constantFrom('__proto__', 'constructor', '', '0'));
const { value: jsonValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false),
    exactNumber,
    anyText(),
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

/** Texts that are often nearly JSON. */
const pieces = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a":',
    '"b":',
    '"\\u0061":',
    '"a"',
    '"',
    '\\',
    '1',
    '-',
    '0',
    '.',
    'e',
    '+',
    '9',
  ],
  ...[
    'true',
    'nul',
    'null',
    'NaN',
    'Infinity',
    'undefined',
    "'a'",
    '// c\n',
    '/* c */',
    '#',
    '"\\x"',
    '"\\u12"',
  ],
  ...['"\u0001"', '"\t"', '"\\n"', '"\ud800"', '"\\ud800"', '"\u2028"'],
  ...[' ', '\n', '\r', '\t', '\v', '\f', '\u00a0', '\u2028', '\ufeff', '\0'],
);
const nearlyJson = fc.oneof(
  fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.tuple(jsonValue, fc.nat(), fc.nat(2), pieces).map(([value, at, removed, piece]) => {
    const text = JSON.stringify(value);
    const start = at % (text.length + 1);
    return text.slice(0, start) + piece + text.slice(start + removed);
  }),
);

function jsonParse(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}

/** What is ours agrees with what JSON.parse made of the same text, as far as a double can. */
function expectAgreement(ours: JsonValue | undefined, theirs: unknown): void {
  if (typeof ours === 'bigint') expect(theirs).toBe(Number(ours));
  else if (Number.isNaN(ours)) expect(Number.isInteger(theirs)).toBe(true);
  else if (Array.isArray(ours)) {
    const their = theirs as unknown[];
    expect(ours).toHaveLength(their.length);
    ours.forEach((value, i) => expectAgreement(value, their[i]));
  } else if (typeof ours === 'object' && ours !== null) {
    const their = theirs as Record<string, unknown>;
    expect(Object.keys(ours)).toEqual(Object.keys(their));
    for (const name of Object.keys(ours)) expectAgreement(ours[name], their[name]);
  } else expect(ours === 0 ? 0 : ours).toBe(theirs === 0 ? 0 : theirs);
}

describe('parseJson', () => {
  it('gives what JSON.parse gives, for values that JSON.parse loses nothing of', () => {
    fc.assert(
      fc.property(jsonValue, fc.constantFrom(0, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, undefined, indent);
        expectAgreement(parseJson(text), JSON.parse(text));
      }),
    );
  });

  it('accepts exactly what JSON.parse accepts, but for repeated members and depth', () => {
    fc.assert(
      fc.property(nearlyJson, (text) => {
        const theirs = jsonParse(text);
        let ours: { value: JsonValue } | undefined;
        try {
          ours = { value: parseJson(text) };
        } catch (error) {
          expect(error).toBeInstanceOf(JsonSyntaxError);
          fc.pre(!/occurs twice|nested deeper/.test((error as Error).message));
        }
        expect({ text, accepted: ours !== undefined }).toEqual({ text, accepted: theirs !== undefined });
        if (ours !== undefined) expectAgreement(ours.value, theirs?.value);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['9007199254740991', 9007199254740991],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
    ['1.0', 1],
    ['1e3', 1000],
    ['-0', 0],
    ['1.5', 1.5],
  ])('keeps %s exactly', (text, value) => expect(parseJson(text)).toBe(value));

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '1e19',
    '1e999999999',
    '1.00000000000000000001',
    '1e-400',
  ])('lets %s, no int64, pass for no integer', (text) =>
    expect(Number.isInteger(parseJson(text))).toBe(false),
  );

  it.each([
    ['different values', '{"a":1,"a":2}', 'a'],
    ['equal values', '{"a":1,"a":1}', 'a'],
    ['escaped spellings', '{"a":1,"\\u0061":1}', 'a'],
    ['a colon after a quote in a string', '{"a":"\\":","a":1}', 'a'],
    ['nesting', '{"o":{"a":1,"a":1}}', 'o.a'],
    ['nesting in an array', '{"o":[{"a":1,"a":1}]}', 'o.a'],
    ['nesting further on in an array', '{"o":[{"x":1},{"a":1,"a":1}]}', 'o.a'],
    ['the name __proto__', '{"__proto__":1,"__proto__":1}', '__proto__'],
  ])('refuses a member that occurs twice: %s', (_, text, field) => {
    expect(refusalOf(text)).toMatchObject({ field, message: 'the member occurs twice' });
  });

  it('allows the same member in different objects', () => {
    expect(parseJson('[{"a":1},{"a":{"a":2}}]')).toEqual([{ a: 1 }, { a: { a: 2 } }]);
  });

  it('makes __proto__ a member like any other', () => {
    const value = parseJson('{"__proto__":{"polluted":true},"constructor":1,"toString":2}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor', 'toString']);
    expect('polluted' in value).toBe(false);
    expect(Object.keys(parseJson('{"\\u005f_proto__":1}') as object)).toEqual(['__proto__']);
  });

  it('does so in a text with a number that JSON.parse would round', () => {
    const value = parseJson('{"__proto__":{"polluted":true},"n":9007199254740993}') as object;
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(value)).toEqual(['__proto__', 'n']);
  });

  it('makes members that can be changed and removed, as JSON.parse does', () => {
    const text = '{"a":1,"b":[2]}';
    expect(Object.getOwnPropertyDescriptors(parseJson(text))).toEqual(
      Object.getOwnPropertyDescriptors(JSON.parse(text)),
    );
  });

  it.each(['[', '{"a":'])('refuses 20,000 nested %s without running out of stack', (open) => {
    expect(refusalOf(open.repeat(20_000)).message).toMatch(/nested deeper than 64 levels/);
  });

  it('accepts 64 levels', () => {
    expect(() => parseJson('['.repeat(64) + ']'.repeat(64))).not.toThrow();
    expect(refusalOf('['.repeat(65) + ']'.repeat(65)).message).toMatch(/nested deeper/);
  });

  it.each([
    '',
    ' ',
    '\ufeff{}',
    '{} {}',
    '[1,]',
    '{"a":1,}',
    '{a:1}',
    "'a'",
    '// c\n1',
    '01',
    '+1',
    '.5',
    '1.',
    '"\n"',
  ])('refuses %j', (text) => expect(refusalOf(text).message).toMatch(/^not JSON/));
});
