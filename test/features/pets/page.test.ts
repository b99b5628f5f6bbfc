import { cursorOf } from '../../../src/features/pets/cursor.js';
import { checkPageSize, parseAfter } from '../../../src/features/pets/page.js';
import { faultOf } from '../../support/fault-of.js';

describe('the size of a page', () => {
  test.each([1, 20, 100])('%d is taken as it is', (size) => {
    expect(checkPageSize(size, 'first')).toBe(size);
  });

  test.each([0, -1, 101, 1.5, NaN, Infinity])('rejects %d, and never adjusts it', async (size) => {
    expect(await faultOf(() => checkPageSize(size, 'first'))).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ field: 'first', message: 'must be an integer from 1 to 100' }] },
    });
  });
});

describe('the start of a page', () => {
  test('is after the pet of the cursor', () => {
    expect(parseAfter(cursorOf(7n))).toBe(7n);
  });

  test('is rejected if the cursor comes from no list', async () => {
    expect(await faultOf(() => parseAfter('7'))).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ field: 'after', message: 'must be a cursor from an earlier page' }] },
    });
  });
});
