import { useGateway } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';
import { until } from '../../support/until.js';
import { withResolvers } from '../../support/with-resolvers.js';
import { askGraphQL, dataOf, type GraphQLBody } from './client.js';

const gateway = useGateway();
afterEach(() => jest.restoreAllMocks());

const TOGETHER = 12;
const together = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: TOGETHER }, ask));

/** Returns the id. */
async function addPet(key: string, name: string): Promise<string> {
  const query = 'mutation ($name: String!) { createPet(input: { name: $name, categoryId: 7 }) { id } }';
  const { createPet } = await dataOf(
    askGraphQL<{ createPet: { id: string } }>(gateway, key, query, { name }),
  );
  return createPet.id;
}

/** Holds all lists that MongoDB has answered until `release`. */
function holdLists() {
  const { pets } = gateway.services;
  const { promise: released, resolve: release } = withResolvers<undefined>();
  const list = pets.list.bind(pets);
  let read = 0;
  jest.spyOn(pets, 'list').mockImplementation(async (query) => {
    const page = await list(query);
    read += 1;
    await released;
    return page;
  });
  const areRead = (count: number) => until(`list ${count}`, () => Promise.resolve(read === count));
  return { release: () => release(undefined), areRead };
}

/** Holds charged requests until there are `count`, which then go on together. */
function gatherCharged(count: number): void {
  const { quotas } = gateway.services;
  const charge = quotas.charge.bind(quotas);
  const { promise: gathered, resolve } = withResolvers<undefined>();
  let charged = 0;
  jest.spyOn(quotas, 'charge').mockImplementation(async (...asked) => {
    const verdict = await charge(...asked);
    charged += 1;
    if (charged === count) resolve(undefined);
    await gathered;
    return verdict;
  });
}

it('executes equal reads that wait at the same moment once; each has its own charge and request id', async () => {
  const { secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 100, requestsPerDay: 1000 });
  const name = 'Rex "the dog" 🐕';
  const id = await addPet(secret, name);
  const query =
    'query ($limit: Int, $id: Int64!) { pets(limit: $limit) { id } petsByIds(ids: [$id]) { name } }';
  gatherCharged(TOGETHER);
  const list = jest.spyOn(gateway.services.pets, 'list');
  const answers = await together(() => askGraphQL(gateway, secret, query, { limit: 1, id }));
  expect(list).toHaveBeenCalledTimes(1);
  for (const { http, data, extensions, headers } of answers) {
    expect({ http, data }).toEqual({ http: 200, data: answers[0]?.data });
    expect(data).toMatchObject({ petsByIds: [{ name }] });
    expect(extensions?.cost.requested).toBe(2);
    expect(extensions?.cost.windows[0]?.remaining).toBe(Number(headers.get('x-ratelimit-remaining')));
  }
  expect(new Set(answers.map(({ headers }) => headers.get('x-request-id'))).size).toBe(TOGETHER);
});

it('returns no result that is older than its request', async () => {
  const { secret: key } = await gateway.keyOn('enterprise', AMPLE);
  const ask = () =>
    dataOf(askGraphQL<{ pets: { name: string }[] }>(gateway, key, '{ pets(limit: 100) { name } }'));
  const lists = holdLists();
  const before = ask();
  await lists.areRead(1);
  await addPet(key, 'Born meanwhile');
  const after = ask();
  lists.release();
  const names = (answer: Awaited<typeof before>) => answer.pets.map(({ name }) => name);
  expect(names(await before)).not.toContain('Born meanwhile');
  expect(names(await after)).toContain('Born meanwhile');
});

it('does not mix up reads with other variables, documents or operations', async () => {
  const { secret: key } = await gateway.keyOn('enterprise', AMPLE);
  for (const name of ['Mia', 'Tom', 'Kim']) await addPet(key, name);
  const query = 'query ($limit: Int = 2) { pets(limit: $limit) { id } }';
  const sizeOf = async (text: string, variables: Record<string, unknown> = {}) =>
    (await dataOf(askGraphQL<{ pets: unknown[] }>(gateway, key, text, variables))).pets.length;
  const sizes = [
    sizeOf(query, { limit: 1 }),
    sizeOf(query, { limit: 3 }),
    sizeOf(query),
    sizeOf(query, { limit: 1, other: 9 }),
    sizeOf('{ pets(limit: 3) { id } }'),
  ];
  expect(await Promise.all(sizes)).toEqual([1, 3, 2, 1, 3]);
});

it('executes an operation with a field that depends on the caller for each caller', async () => {
  const keys = await Promise.all(
    [60, 70].map((requestsPerMinute) =>
      gateway.keyOn('enterprise', { requestsPerMinute, requestsPerDay: 1000 }),
    ),
  );
  const query = '{ pets(limit: 1) { id } quota { windows { limit } } }';
  const lists = holdLists();
  const asked = keys.map(({ secret }) => askGraphQL(gateway, secret, query));
  await lists.areRead(2);
  lists.release();
  const limits = (await Promise.all(asked)).map(({ data }) => data?.['quota']);
  expect(limits).toEqual([60, 70].map((limit) => ({ windows: [{ limit }, { limit: 1000 }] })));
});

it('gives each request that shares an error its own request id', async () => {
  const { secret: key } = await gateway.keyOn('enterprise', AMPLE);
  const answers = await together(() => askGraphQL(gateway, key, '{ pets(limit: 0) { id } }'));
  for (const { errors, headers } of answers)
    expect(errors?.map(({ extensions }) => [extensions.code, extensions.requestId])).toEqual([
      ['invalid_request', headers.get('x-request-id')],
    ]);
});

it('logs the cause of a shared failure once; the lines of the other requests name that request', async () => {
  const { secret: key } = await gateway.keyOn('enterprise', AMPLE);
  gatherCharged(3);
  jest.spyOn(gateway.services.pets, 'list').mockRejectedValue(new Error('a fault of the test'));
  const ask = () => askGraphQL(gateway, key, '{ pets(limit: 9) { id } }');
  const answers = await Promise.all([ask(), ask(), ask()]);
  const ids = answers.map(({ headers }) => headers.get('x-request-id'));
  const lines = gateway.logLines
    .map(
      (line) => JSON.parse(line) as { level: number; requestId?: string; sharedWith?: string; err?: object },
    )
    .filter(({ level, requestId }) => level === 50 && ids.includes(requestId ?? ''));
  const [cause, ...more] = lines.filter(({ err }) => err !== undefined);
  expect(more).toEqual([]);
  expect(cause).toMatchObject({ err: { message: 'a fault of the test' } });
  const others = ids.filter((id) => id !== cause?.requestId).sort();
  const shared = lines.filter(({ sharedWith }) => sharedWith === cause?.requestId);
  expect(shared.map(({ requestId }) => requestId).sort()).toEqual(others);
});

it('answers a batch of shared and other operations in its order', async () => {
  const { secret: key } = await gateway.keyOn('enterprise', AMPLE);
  const documents = [
    '{ pets(limit: 1) { name } }',
    '{ quota { ban { until } } }',
    '{ pets(limit: 0) { id } }',
  ];
  const answer = await gateway.request('/graphql', {
    method: 'POST',
    key,
    body: JSON.stringify([...documents, ...documents].map((query) => ({ query }))),
    headers: { 'content-type': 'application/json' },
  });
  const answers = (await answer.json()) as GraphQLBody[];
  const kind = { data: expect.objectContaining({ pets: expect.any(Array) as unknown }) as unknown };
  const quota = { data: { quota: { ban: null } } };
  const failed = { errors: [expect.anything()] };
  expect(answers).toEqual(
    [kind, quota, failed, kind, quota, failed].map((one) => expect.objectContaining(one) as unknown),
  );
});
