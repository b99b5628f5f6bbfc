import fc from 'fast-check';
import {
  INT64_MAX,
  INT64_MIN,
  isInt64,
  parseCanonicalInt64,
  parseJsonInt64,
  toInt64,
} from '../../src/lib/int64.js';

const int64 = fc.bigInt({ min: INT64_MIN, max: INT64_MAX });

describe('parseCanonicalInt64', () => {
  it('reads back every int64 that is written in decimal digits', () => {
    fc.assert(fc.property(int64, (value) => expect(parseCanonicalInt64(String(value))).toBe(value)));
  });

  it('accepts only the one canonical spelling of a value', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[-+]?[0-9]{0,21}$/), (text) => {
        const value = parseCanonicalInt64(text);
        expect([undefined, text]).toContain(value === undefined ? value : String(value));
      }),
    );
  });

  it.each(['', '05', '+5', '-0', '00', '1e1', '1.0', ' 5', '5 ', '5\n', '0x5', 'abc', '٥', '5n', '-', '--5'])(
    'refuses %j',
    (text) => expect(parseCanonicalInt64(text)).toBeUndefined(),
  );

  it.each([
    ['9223372036854775807', INT64_MAX],
    ['-9223372036854775808', INT64_MIN],
    ['9007199254740993', 9007199254740993n],
    ['0', 0n],
  ])('reads %s exactly', (text, value) => expect(parseCanonicalInt64(text)).toBe(value));

  it.each(['9223372036854775808', '-9223372036854775809', '1'.padEnd(400, '0')])(
    'refuses %s, which is outside int64',
    (text) => expect(parseCanonicalInt64(text)).toBeUndefined(),
  );
});

describe('parseJsonInt64', () => {
  it('gives the value of every int64, however it is scaled', () => {
    fc.assert(
      fc.property(int64, fc.integer({ min: 0, max: 40 }), (value, shift) => {
        const digits = String(value);
        expect(parseJsonInt64(digits)).toBe(value);
        expect(parseJsonInt64(`${digits}.${'0'.repeat(shift + 1)}`)).toBe(value);
        expect(parseJsonInt64(`${digits}${'0'.repeat(shift)}e-${shift}`)).toBe(value);
      }),
    );
  });

  it('says of a decimal fraction what exact arithmetic says of it', () => {
    const parts = fc.tuple(
      fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }),
      fc.integer({ min: -25, max: 25 }),
    );
    fc.assert(
      fc.property(parts, ([mantissa, exponent]) => {
        const scale = 10n ** BigInt(Math.abs(exponent));
        const whole = exponent >= 0 || mantissa % scale === 0n;
        const value = exponent >= 0 ? mantissa * scale : mantissa / scale;
        expect(parseJsonInt64(`${mantissa}e${exponent}`)).toBe(whole && isInt64(value) ? value : undefined);
      }),
    );
  });

  it.each([
    ['1.0', 1n],
    ['1e3', 1000n],
    ['1E+3', 1000n],
    ['1.50e1', 15n],
    ['-0', 0n],
    ['0e999999999', 0n],
    ['0.000', 0n],
    ['9.223372036854775807e18', INT64_MAX],
    ['-9.223372036854775808e18', INT64_MIN],
    [`1${'0'.repeat(60_000)}e-60000`, 1n],
    [`0.${'0'.repeat(30)}5e31`, 5n],
  ])('reads %.30s exactly', (text, value) => expect(parseJsonInt64(text)).toBe(value));

  it.each([
    '1e19',
    '1e999999999',
    '-1e999999999',
    `1e${'9'.repeat(400)}`,
    '1e-1',
    '1e-999999999',
    '1.5',
    '1.00000000000000000001',
    '9223372036854775808',
    '-9223372036854775809',
    '9223372036854775807.5',
  ])('refuses %.30s', (text) => expect(parseJsonInt64(text)).toBeUndefined());

  it.each(['', 'abc', 'a1', '1a', '1 ', ' 1', '1\n', '+1', '.5', '1.', '1e', 'NaN'])(
    'refuses %j, which is no number of JSON',
    (text) => expect(parseJsonInt64(text)).toBeUndefined(),
  );
});

describe('toInt64', () => {
  it.each([5, -5, 0, Number.MAX_SAFE_INTEGER])('takes the safe integer %d', (value) =>
    expect(toInt64(value)).toBe(BigInt(value)),
  );

  it.each([INT64_MAX, INT64_MIN])('takes the bigint %d', (value) => expect(toInt64(value)).toBe(value));

  it.each([2 ** 53, 1.5, NaN, Infinity, '5', true, null, undefined, [], {}, INT64_MAX + 1n, INT64_MIN - 1n])(
    'refuses %p',
    (value) => expect(toInt64(value)).toBeUndefined(),
  );
});
