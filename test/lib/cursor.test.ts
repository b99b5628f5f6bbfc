import { decodeCursor, encodeCursor } from '../../src/lib/cursor.js';
import { faultOf } from '../support/fault-of.js';

const encoded = (text: string) => Buffer.from(text).toString('base64url');

test.each([[[]], [['createdAt', 1_763_000_000_000, 'key_a']], [[null, 0.5, 'ä ☃']]])(
  'a cursor leads back to its place: %j',
  (place) => {
    expect(decodeCursor(encodeCursor(place))).toEqual(place);
    expect(encodeCursor(place)).toMatch(/^[\w-]+$/);
  },
);

test.each([
  ['nothing', ''],
  ['a word', 'nonsense'],
  ['JSON that is no place', encoded('{"length":3}')],
  ['half of a place', encoded('["a",')],
])('what no list gave out is refused: %s', async (_what, text) => {
  expect(await faultOf(() => decodeCursor(text))).toMatchObject({
    code: 'invalid_request',
    details: {
      fields: [{ field: 'after', message: 'must be a cursor from an earlier page of the same list' }],
    },
  });
});
