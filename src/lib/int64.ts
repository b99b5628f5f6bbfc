/**
 * int64 as the OpenAPI format means it: -2^63 … 2^63-1, exact on every path. In the domain it is a bigint.
 */
export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

// 19 digits hold every int64; one more than that is out of range whatever the digits are.
const MAX_DIGITS = 19;
const CANONICAL = /^(?:0|-?[1-9][0-9]{0,18})$/;

export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/** Canonical decimal digits (`5`, `-5`; not `05`, `+5`, `-0`, `1e1`) within int64, else undefined. */
export function parseCanonicalInt64(text: string): bigint | undefined {
  if (!CANONICAL.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

/**
 * The integer a JSON number stands for, exactly: `1.0` and `1e3` are integers (JSON Schema 2020-12, 6.1.1).
 * Undefined when it is no integer or outside int64. An exponent is judged before it is expanded, so that
 * `1e999999999` costs nothing.
 */
export function parseJsonInt64(text: string): bigint | undefined {
  // Each part begins with a character that the part before it cannot hold: nothing is read twice.
  // eslint-disable-next-line security/detect-unsafe-regex
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = ''] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0n;
  const exponent = Number(exponentText) - fraction.length;
  const significant = withoutTrailingZeros(digits);
  const scale = exponent + digits.length - significant.length;
  if (scale < 0 || significant.length + scale > MAX_DIGITS) return undefined;
  const value = BigInt(`${sign}${significant}${'0'.repeat(scale)}`);
  return isInt64(value) ? value : undefined;
}

/** Not by /0+$/, which begins anew at each zero: 60,000 of them before a last 1 take it seconds. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/**
 * What a parsed JSON value stands for as int64: a safe integer arrives as number, a larger one as bigint
 * (see parse-json.ts). Undefined for everything else, strings included.
 */
export function toInt64(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return isInt64(value) ? value : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}
