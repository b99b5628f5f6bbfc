/** int64 as the OpenAPI format defines it: -2^63 … 2^63-1, always exact. Domain code uses bigint. */
export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

// An int64 has at most 19 digits: a number with more digits is out of range.
const MAX_DIGITS = 19;
const CANONICAL = /^(?:0|-?[1-9][0-9]{0,18})$/;

export function isInt64(value: bigint): boolean {
  return value >= INT64_MIN && value <= INT64_MAX;
}

/**
 * Parses canonical decimal digits (`5`, `-5`; not `05`, `+5`, `-0`, `1e1`). Undefined for other text, and outside
 * int64.
 */
export function parseCanonicalInt64(text: string): bigint | undefined {
  if (!CANONICAL.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

/**
 * The exact integer of a JSON number: `1.0` and `1e3` are integers (JSON Schema 2020-12, 6.1.1). Undefined if the
 * number is not an integer or is outside int64. Checks the exponent before it expands the digits, so that `1e999999999`
 * costs nothing.
 */
export function parseJsonInt64(text: string): bigint | undefined {
  // Each part begins with a character that the previous part cannot contain: no character is read twice.
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

/** Not /0+$/, which starts again at each zero: with 60,000 zeros before a last 1, it takes seconds. */
function withoutTrailingZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}

/**
 * Converts a parsed JSON value to int64. A safe integer arrives as number, a larger one as bigint (see parse-json.ts).
 * Undefined for all other values, including strings.
 */
export function toInt64(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return isInt64(value) ? value : undefined;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}
