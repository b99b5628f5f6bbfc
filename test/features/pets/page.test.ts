import { cursorOf } from '../../../src/features/pets/cursor.js';
import { parseAfter } from '../../../src/features/pets/page.js';
import { faultOf } from '../../support/fault-of.js';

describe('the start of a page', () => {
  test('is after the pet of the cursor', () => {
    expect(parseAfter(cursorOf(7n))).toBe(7n);
  });

  test('is rejected if the cursor comes from no list', async () => {
    expect(await faultOf(() => parseAfter('7'))).toMatchObject({
      code: 'invalid_request',
      details: {
        fields: [
          { field: 'after', message: 'must be a cursor from an earlier page of this list, in this order' },
        ],
      },
    });
  });
});
