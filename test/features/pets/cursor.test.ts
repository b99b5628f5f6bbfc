import fc from 'fast-check';
import { INT64_MAX, INT64_MIN } from '../../../src/lib/int64.js';
import { cursorOf, idOfCursor } from '../../../src/features/pets/cursor.js';

const encoded = (text: string) => Buffer.from(text).toString('base64url');

describe('the cursor of a pet', () => {
  test('leads back to its id, for every id that a pet can have', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: INT64_MAX }), (id) => expect(idOfCursor(cursorOf(id))).toBe(id)),
    );
  });

  test('needs no escaping in a URL', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: INT64_MIN, max: INT64_MAX }), (id) =>
        expect(cursorOf(id)).toMatch(/^[\w-]+$/),
      ),
    );
  });

  test('stays what it is from release to release: clients keep cursors', () => {
    expect(cursorOf(5n)).toBe('cGV0OjU');
  });
});

test.each([
  ['nothing', ''],
  ['a word', 'nonsense'],
  ['an id', '5'],
  ['the cursor of something else', encoded('key:5')],
  ['a longer cursor', `${cursorOf(5n)}A`],
  ['padding', `${cursorOf(5n)}=`],
  ['white space around it', ` ${cursorOf(5n)} `],
  ['an id that is not canonical', encoded('pet:05')],
  ['no id', encoded('pet:')],
  ['the id 0, which no pet has', encoded('pet:0')],
  ['a negative id', encoded('pet:-1')],
  ['an id outside int64', encoded('pet:9223372036854775808')],
  ['a character that is no byte', encoded('pet:٥')],
])('rejects an invalid cursor: %s', (_what, text) => {
  expect(idOfCursor(text)).toBeUndefined();
});
