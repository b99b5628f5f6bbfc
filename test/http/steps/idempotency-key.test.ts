import type { Request } from 'express';
import { idempotencyKeyOf } from '../../../src/http/steps/idempotency-key.js';
import { resultOf } from '../../../src/lib/result-of.js';

const keyOf = (...values: string[]) =>
  resultOf(() =>
    idempotencyKeyOf({ headersDistinct: values.length > 0 ? { 'idempotency-key': values } : {} } as Request),
  );

test('a request without the header has no key', () => expect(keyOf()).toBeUndefined());

test.each([
  ['abc', 'abc'],
  ['"abc"', 'abc'],
  ['"a"b"', 'a"b'],
  ['"abc', '"abc'],
  ['x"abc"', 'x"abc"'],
  ['"abc"x', '"abc"x'],
  ['!~', '!~'],
  ['x'.repeat(255), 'x'.repeat(255)],
])('%j is the key %j', (value, key) => expect(keyOf(value)).toBe(key));

test.each([[''], ['""'], ['with space'], ['ü'], ['x'.repeat(256)], ['abc', 'abc']])(
  '%j: 400 naming the header',
  (...values) => {
    expect(keyOf(...values)).toMatchObject({
      code: 'invalid_request',
      details: {
        fields: [
          {
            field: 'Idempotency-Key',
            message: 'must be sent once, with 1 to 255 visible ASCII characters',
          },
        ],
      },
    });
  },
);
