import { useGateway } from '../../support/gateway.js';
import { askGraphQL } from './client.js';

const gateway = useGateway();
let key: string;
beforeAll(async () => {
  ({ secret: key } = await gateway.keyOn('free'));
});

const CREATE = 'mutation ($input: NewPet!) { createPet(input: $input) { id } }';
const BY_IDS = 'query ($ids: [Int64!]!) { petsByIds(ids: $ids) { id } }';
const ONE = 'query ($id: Int64!) { pet(id: $id) { id } }';
const RANGE = 'must be an integer from -2^63 to 2^63-1; received';

/** The parts that the first error says are wrong. */
async function faultsOf(query: string, variables: Record<string, unknown>) {
  const { errors } = await askGraphQL(gateway, key, query, variables);
  return errors?.map(({ extensions: { code, details } }) => ({ code, fields: details?.['fields'] }));
}
const refused = (field: string, message: string) => [
  { code: 'invalid_request', fields: [{ field, message }] },
];

test('a variable that does not fit is named where it is wrong, in the form of every other fault', async () => {
  expect(await faultsOf(CREATE, { input: { name: 'Rex', categoryId: 'abc' } })).toEqual(
    refused('input.categoryId', `${RANGE} the string "abc"`),
  );
  expect(await faultsOf(BY_IDS, { ids: ['1', 'x'] })).toEqual(refused('ids[1]', `${RANGE} the string "x"`));
  expect(await faultsOf(CREATE, { input: { categoryId: '1' } })).toEqual(
    refused('input.name', 'is required'),
  );
});

test('a value that reads like a place is not taken for one', async () => {
  const value = '5 at "input.name';
  expect(await faultsOf(ONE, { id: value })).toEqual(
    refused('id', `${RANGE} the string ${JSON.stringify(value)}`),
  );
});

test('a variable that is missing is named as well', async () => {
  expect(await faultsOf(ONE, {})).toEqual(
    refused('id', 'is required: send a value of type Int64! in "variables"'),
  );
});

test('each part that is wrong is named, up to ten of them', async () => {
  expect(await faultsOf(CREATE, { input: { name: 5, stat: 'sold' } })).toEqual([
    ...refused('input.stat', 'is not a field of NewPet, which has name, categoryId, status'),
    ...refused('input.name', 'must be a string; received the number 5'),
    ...refused('input.categoryId', 'is required'),
  ]);
  expect(await faultsOf(BY_IDS, { ids: Array.from({ length: 5000 }, () => true) })).toHaveLength(10);
});
