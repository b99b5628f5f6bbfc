import type { Pet } from '../../../src/features/pets/pet.js';
import { useStarted } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';
import { createStore, startPlatform, visit, type Store } from '../sites/visitor.js';
import { askGraphQL, dataOf, type GraphQLBody } from './client.js';

/** `petsConnection(filter: { externalId })`: an animal by the number that its shelter gave it. */
const ORIGIN = 'https://shop.example';
const gateway = useStarted(() => startPlatform({ env: { BROWSER_REQUESTS_PER_MINUTE_PER_IP: '1000' } }));

let projectId: string;
let foreignId: string;
let site: Store;
let keys: Record<'server' | 'owner' | 'browser' | 'foreign' | 'foreignBrowser' | 'admin', string>;

beforeAll(async () => {
  const { apiKeys } = gateway.services;
  const server = await gateway.keyOn('enterprise', AMPLE);
  const foreign = await gateway.keyOn('enterprise', AMPLE, { role: 'owner' });
  projectId = server.apiKey.projectId ?? '';
  foreignId = foreign.apiKey.projectId ?? '';
  const issue = async (input: Parameters<typeof apiKeys.create>[0]) => (await apiKeys.create(input)).secret;
  const browser = { role: 'browser', allowedOrigins: [ORIGIN] } as const;
  keys = {
    server: server.secret,
    owner: await issue({ name: 'owner', role: 'owner', projectId }),
    browser: await issue({ name: 'browser', ...browser, projectId }),
    foreign: foreign.secret,
    foreignBrowser: await issue({ name: 'foreign browser', ...browser, projectId: foreignId }),
    admin: await issue({ name: 'admin', role: 'admin' }),
  };
  site = await createStore(gateway);
  await add({ name: 'Rex', projectId, externalId: 'A-1' });
  await add({ name: 'Rexona', projectId, externalId: 'A-11', status: 'sold' });
  await add({ name: 'Numberless', projectId });
  await add({ name: 'Foreign', projectId: foreignId, externalId: 'A-1' });
  await add({ name: 'Only foreign', projectId: foreignId, externalId: 'F-1' });
  await add({ name: 'Of the site', projectId: site.project.id, externalId: 'A-1' });
});

async function add(pet: Partial<Pet>): Promise<void> {
  const { petsStore } = gateway.services;
  const id = await petsStore.reserveId();
  await petsStore.insert({
    id,
    name: '',
    categoryId: 1n,
    status: 'available',
    createdAt: new Date(),
    ...pet,
  });
}

type Who = keyof typeof keys;
interface Found {
  petsConnection: { totalCount: number | null; edges: { cursor: string; node: { name: string } }[] };
}
const QUERY =
  'query ($filter: PetFilter, $orderBy: PetOrder) { petsConnection(filter: $filter, orderBy: $orderBy) { totalCount edges { cursor node { name } } } }';
const ask = (who: Who, filter: object, orderBy = 'id') =>
  askGraphQL<Found>(gateway, keys[who], QUERY, { filter, orderBy }, { origin: ORIGIN });

/** The names, after it is sure that `totalCount` is their number. */
async function find(who: Who, filter: object, orderBy?: string): Promise<string[]> {
  const { totalCount, edges } = (await dataOf(ask(who, filter, orderBy))).petsConnection;
  expect(totalCount).toBe(edges.length);
  return edges.map(({ node }) => node.name);
}
async function faultOf(who: Who, filter: object): Promise<unknown> {
  const [error] = (await ask(who, filter)).errors ?? [];
  const fields = error?.extensions.details?.['fields'] as { field: string }[] | undefined;
  return [error?.extensions.code, fields?.map(({ field }) => field)];
}

test.each(['id', 'newest'])('by %s, a project finds its animal by exactly this number', async (orderBy) => {
  for (const who of ['server', 'owner'] as const) {
    expect(await find(who, { externalId: 'A-1' }, orderBy)).toEqual(['Rex']);
    expect(await find(who, { externalId: 'A-11', mine: true }, orderBy)).toEqual(['Rexona']);
    expect(await find(who, { externalId: 'A-1', projectId }, orderBy)).toEqual(['Rex']);
    for (const externalId of ['A', 'a-1', 'A-1 ', '-1', '.*'])
      expect(await find(who, { externalId }, orderBy)).toEqual([]);
  }
});

test('null is no condition', async () => {
  const found = await find('server', { externalId: null, mine: true });
  expect(found).toEqual(expect.arrayContaining(['Rex', 'Rexona', 'Numberless']));
});

test('conditions work together', async () => {
  const rex = { externalId: 'A-1', status: 'available', categoryId: '1', nameContains: 'RE' };
  for (const orderBy of ['id', 'newest']) {
    expect(await find('server', rex, orderBy)).toEqual(['Rex']);
    for (const other of [{ status: 'sold' }, { categoryId: '2' }, { nameContains: 'Rexo' }])
      expect(await find('server', { ...rex, ...other }, orderBy)).toEqual([]);
  }
});

test('a page after the animal is empty, in both orders and directions', async () => {
  for (const orderBy of ['id', 'newest']) {
    const [edge] = (await dataOf(ask('server', { externalId: 'A-1' }, orderBy))).petsConnection.edges;
    const pages = await dataOf(
      askGraphQL<Record<string, { edges: unknown[] }>>(
        gateway,
        keys.server,
        `{ after: petsConnection(filter: { externalId: "A-1" }, orderBy: ${orderBy}, after: "${edge?.cursor}") { edges { cursor } }
           before: petsConnection(filter: { externalId: "A-1" }, orderBy: ${orderBy}, last: 5, before: "${edge?.cursor}") { edges { cursor } }
           last: petsConnection(filter: { externalId: "A-1" }, orderBy: ${orderBy}, last: 5) { edges { cursor } } }`,
      ),
    );
    expect(pages).toEqual({
      after: { edges: [] },
      before: { edges: [] },
      last: { edges: [{ cursor: edge?.cursor }] },
    });
  }
});

describe('a client that cannot see a number finds no animal by it', () => {
  test('the number of another project finds nothing, exactly as one that does not exist', async () => {
    const ofOthers = [{ externalId: 'F-1' }, { externalId: 'F-1', projectId: foreignId }];
    const ofNobody = [{ externalId: 'X-1' }, { externalId: 'X-1', projectId: foreignId }];
    for (const [at, filter] of ofOthers.entries()) {
      const answers = [await ask('server', filter), await ask('server', ofNobody[at] ?? {})];
      const [one, other] = answers.map(({ data, errors, extensions }) => ({
        data,
        errors,
        cost: extensions?.cost.requested,
      }));
      expect(one).toEqual(other);
      expect(one?.data?.petsConnection).toEqual({ totalCount: 0, edges: [] });
    }
    expect(await find('foreign', { externalId: 'A-1' })).toEqual(['Foreign']);
    expect(await find('foreign', { externalId: 'A-1', projectId })).toEqual([]);
  });

  test.each(['browser', 'foreignBrowser'] as const)('%s: nothing, in its own project too', async (who) => {
    for (const of of [{}, { mine: true }, { projectId }, { projectId: foreignId }])
      expect(await find(who, { externalId: 'A-1', ...of })).toEqual([]);
  });

  test('equal requests of all callers at one moment are not mixed up', async () => {
    const found = { server: ['Rex'], owner: ['Rex'], browser: [], foreign: ['Foreign'], foreignBrowser: [] };
    const asked = (Object.keys(found) as (keyof typeof found)[]).flatMap((who) => [who, who, who]);
    const seen = await Promise.all(asked.map(async (who) => [who, await find(who, { externalId: 'A-1' })]));
    expect(seen).toEqual(asked.map((who) => [who, found[who]]));
  });

  test('a published site finds nothing by a number, whichever animals it shows', async () => {
    const siteAsk = async (operation: string): Promise<GraphQLBody> => {
      const query = `query ${operation} { petsConnection(filter: { externalId: "A-1" }) { totalCount edges { node { name externalId } } } }`;
      const { text } = await visit(gateway, site.host, '/graphql', {
        method: 'POST',
        headers: { authorization: `Bearer ${site.secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return JSON.parse(text) as GraphQLBody;
    };
    const nothing = { petsConnection: { totalCount: 0, edges: [] } };
    expect((await siteAsk('ShowingOwn')).data).toEqual(nothing);
    await gateway.services
      .administration({ role: 'command line' })
      .updateProject(site.project.id, { siteAnimals: 'all' });
    expect((await siteAsk('ShowingAll')).data).toEqual(nothing);
  });
});

describe('an admin', () => {
  test('finds in the project that the filter names', async () => {
    expect(await find('admin', { externalId: 'A-1', projectId })).toEqual(['Rex']);
    expect(await find('admin', { externalId: 'A-1', projectId: foreignId })).toEqual(['Foreign']);
    expect(await find('admin', { externalId: 'A-1', projectId: 'proj_none' })).toEqual([]);
    expect(await find('admin', { externalId: 'A-1', mine: true })).toEqual([]);
  });

  test('must name the project', async () => {
    expect(await faultOf('admin', { externalId: 'A-1' })).toEqual(['invalid_request', ['filter.projectId']]);
  });
});

test.each([
  ['', 'is required'],
  ['x'.repeat(65), 'must have at most 64 characters'],
  [' ', 'must not be blank'],
  ['A\u0000', 'must not have control characters'],
])('%j cannot be a number', async (externalId, message) => {
  for (const who of ['server', 'browser', 'foreign', 'admin'] as const) {
    expect(await faultOf(who, { externalId })).toEqual(['invalid_request', ['filter.externalId']]);
    expect((await ask(who, { externalId })).errors?.[0]?.message).toContain(message);
  }
});

test('64 characters are allowed, whatever their size', async () => {
  const externalId = '🐕'.repeat(64);
  await add({ name: 'Many', projectId, externalId });
  expect(await find('server', { externalId })).toEqual(['Many']);
});
