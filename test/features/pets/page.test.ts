import { cursorOf } from '../../../src/features/pets/cursor.js';
import { checkPageSize, parseAfter } from '../../../src/features/pets/page.js';
import { faultOf } from '../../support/fault-of.js';

describe('the size of a page', () => {
  test.each([1, 20, 100])('%d is taken as it is', (size) => {
    expect(checkPageSize(size, 'first')).toBe(size);
  });

  test.each([0, -1, 101, 1.5, NaN, Infinity])('%d is refused, never clamped', async (size) => {
    expect(await faultOf(() => checkPageSize(size, 'first'))).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ field: 'first', message: 'must be an integer from 1 to 100' }] },
    });
  });
});

describe('the place where a page begins', () => {
  test('is behind the pet of the cursor', () => {
    expect(parseAfter(cursorOf(7n))).toBe(7n);
  });

  test('is refused when no list gave the cursor out', async () => {
    expect(await faultOf(() => parseAfter('7'))).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ field: 'after', message: 'must be a cursor from an earlier page' }] },
    });
  });
});
