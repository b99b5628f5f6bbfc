import { checkPageSize } from '../../src/lib/page-size.js';
import { faultOf } from '../support/fault-of.js';

describe('the size of a page', () => {
  test.each([1, 20, 100])('%d is taken as it is', (size) => {
    expect(checkPageSize(size, 'first')).toBe(size);
  });

  test.each([0, -1, 101, 1.5, NaN, Infinity])('rejects %d, and never adjusts it', async (size) => {
    expect(await faultOf(() => checkPageSize(size, 'first'))).toMatchObject({
      code: 'invalid_request',
      details: {
        fields: [{ field: 'first', message: `must be an integer from 1 to 100; received ${size}` }],
      },
    });
  });
});
