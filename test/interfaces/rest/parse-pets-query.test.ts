import { cursorOf } from '../../../src/features/pets/cursor.js';
import type { PetsQuery } from '../../../src/features/pets/page.js';
import {
  assertNoParameters,
  parsePetsQuery,
  searchParametersOf,
} from '../../../src/interfaces/rest/parse-pets-query.js';
import type { FieldFault } from '../../../src/lib/errors.js';
import { faultOf } from '../../support/fault-of.js';

const parsed = (target: string) => parsePetsQuery(searchParametersOf(target), 'proj_own');

describe('the query of a list', () => {
  test.each<[string, PetsQuery]>([
    ['/v1/pets', { limit: 20 }],
    ['/v1/pets?', { limit: 20 }],
    ['/v1/pets?limit=1', { limit: 1 }],
    ['/v1/pets?limit=100', { limit: 100 }],
    ['/v1/pets?status=sold', { limit: 20, status: 'sold' }],
    [`/v1/pets?after=${cursorOf(7n)}&limit=5&status=%70ending`, { limit: 5, status: 'pending', afterId: 7n }],
    ['/v1/pets?categoryId=-9007199254740993', { limit: 20, categoryId: -9007199254740993n }],
    ['/v1/pets?mine=true&status=sold', { limit: 20, status: 'sold', projectId: 'proj_own' }],
    ['/v1/pets?mine=false', { limit: 20 }],
  ])('%s', (target, query) => {
    expect(parsed(target)).toEqual(query);
  });

  const limit = (given: string) => ({
    field: 'limit',
    message: `must be an integer from 1 to 100; received "${given}"`,
  });
  const status = (given: string) => ({
    field: 'status',
    message: `must be one of available, pending, sold; received "${given}"`,
  });
  const after = { field: 'after', message: 'must be a cursor taken from a Link or X-Next-Cursor header' };
  const twice = (field: string) => ({ field, message: 'was given more than once' });
  const unknown = (field: string) => ({
    field,
    message: 'is not a parameter of this operation, which has limit, status, after, categoryId, mine',
  });

  test.each([
    ['mine=1', [{ field: 'mine', message: 'must be true or false; received "1"' }]],
    ['mine=', [{ field: 'mine', message: 'must be true or false; received ""' }]],
    ...['05', '1.0', '9223372036854775808', ''].map((given): [string, FieldFault[]] => [
      `categoryId=${given}`,
      [
        {
          field: 'categoryId',
          message: `must be an integer from -2^63 to 2^63-1; received ${JSON.stringify(given)}`,
        },
      ],
    ]),
    ['mine=true&mine=true', [twice('mine')]],
    ['limit=0', [limit('0')]],
    ['limit=101', [limit('101')]],
    ['limit=1000', [limit('1000')]],
    ['limit=05', [limit('05')]],
    ['limit=5x', [limit('5x')]],
    ['limit=x5', [limit('x5')]],
    ['limit=', [limit('')]],
    ['status=lost', [status('lost')]],
    [`status=${'x'.repeat(51)}`, [status(`${'x'.repeat(50)}…`)]],
    ['status=', [status('')]],
    ['after=x', [after]],
    ['after=', [after]],
    [`after=${cursorOf(-7n)}`, [after]],
    [`after=${cursorOf(0n)}`, [after]],
    ['limit=5&limit=6', [twice('limit')]],
    ['status=sold&status=sold', [twice('status')]],
    ['page=2&page=3', [unknown('page')]],
    ['page=2&limit=0&status=lost&after=x', [unknown('page'), limit('0'), status('lost'), after]],
  ])('?%s is refused, naming every fault once', async (query, fields) => {
    expect(await faultOf(() => parsed(`/v1/pets?${query}`))).toMatchObject({
      code: 'invalid_request',
      details: { fields },
    });
  });
});

describe('an operation without parameters', () => {
  test('takes none', () => {
    expect(() => assertNoParameters(searchParametersOf('/v1/pets/5?'))).not.toThrow();
  });

  test('refuses any, naming each once', async () => {
    const target = '/v1/pets/5?limit=1&x=1&x=2?';
    expect(await faultOf(() => assertNoParameters(searchParametersOf(target)))).toMatchObject({
      details: {
        fields: [
          { field: 'limit', message: 'is not a parameter of this operation, which has none' },
          { field: 'x', message: 'is not a parameter of this operation, which has none' },
        ],
      },
    });
  });
});
