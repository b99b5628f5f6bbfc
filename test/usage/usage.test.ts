import { askGraphQL } from '../graphql/client.js';
import { startGateway } from '../support/gateway.js';
import { AMPLE } from '../support/rest-client.js';
import { refusalsOf, usageOfKey, usageOfProject, writeUsage } from './client.js';

type Gateway = Awaited<ReturnType<typeof startGateway>>;

let gateway: Gateway;
let other: Gateway;
let admin: string;

beforeAll(async () => {
  gateway = await startGateway();
  other = await startGateway({ beside: gateway });
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' }));
});
afterAll(async () => {
  await other.close();
  await gateway.close();
});

/** What the days and the groups of a usage come to, and nothing of the days without requests. */
async function countsOf(id: string) {
  const { requests, cost, refused, days, groups } = await usageOfKey(gateway, admin, id);
  return { requests, cost, refused, days: days.filter((day) => day.requests > 0), groups };
}
const today = () => new Date().toISOString().slice(0, 10);
const PET = JSON.stringify({ name: 'Rex', categoryId: 1 });
const JSON_BODY = { 'content-type': 'application/json' };

describe('the usage of a key', () => {
  test('has each of its requests once, by door, operation and status', async () => {
    const one = await gateway.keyOn('enterprise', AMPLE);
    const two = await gateway.keyOn('enterprise', AMPLE);
    const rest = (path: string, init: RequestInit = {}, { secret } = one) =>
      gateway.request(path, { key: secret, ...init });
    await rest('/v1/pets');
    await rest('/v1/pets?limit=1', { method: 'HEAD' });
    await rest('/v1/pets?limit=0');
    await rest('/v1/pets', { method: 'POST', body: PET, headers: JSON_BODY });
    await rest('/v1/pets/1');
    await rest('/v1/pets', {}, two);
    await rest('/v1/dogs');
    await rest('/v1/pets/1', { method: 'DELETE' });
    await askGraphQL(gateway, one.secret, '{ a: pets { id } b: pets { id } }');
    await askGraphQL(gateway, one.secret, 'query Mine { ...x } fragment x on Query { pets { id } __typename }');
    await askGraphQL(gateway, one.secret, '{ pets { id } quota { ban { until } } }');
    await askGraphQL(gateway, one.secret, '{ dogs }');
    await writeUsage(gateway);

    const rows = [
      ['rest', 'listPets', 200, 2, 2],
      ['rest', 'other', 404, 1, 1],
      ['rest', 'other', 405, 1, 1],
      ['rest', 'createPet', 201, 1, 1],
      ['rest', 'getPet', 200, 1, 1],
      ['rest', 'listPets', 400, 1, 1],
      ['graphql', 'pets', 200, 2, 3],
      ['graphql', 'several', 200, 1, 2],
      ['graphql', 'other', 200, 1, 1],
    ].map(([door, operation, status, requests, cost]) => ({ door, operation, status, requests, cost }));
    const counts = await countsOf(one.apiKey.id);
    expect(counts).toMatchObject({ requests: 11, cost: 13, refused: 0 });
    expect(counts.groups).toHaveLength(rows.length);
    expect(counts.groups).toEqual(expect.arrayContaining(rows));
    expect(counts.days).toEqual([
      {
        date: today(),
        requests: 11,
        cost: 13,
        refused: 0,
        byStatus: [
          { status: 200, requests: 7 },
          { status: 201, requests: 1 },
          { status: 400, requests: 1 },
          { status: 404, requests: 1 },
          { status: 405, requests: 1 },
        ],
      },
    ]);
    expect(await countsOf(two.apiKey.id)).toMatchObject({ requests: 1, cost: 1 });
  });
});
