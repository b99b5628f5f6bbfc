import type { GraphQLBody } from '../graphql/client.js';
import { useStarted } from '../../support/gateway.js';
import { createStore, startPlatform, visit, type Store } from './visitor.js';

let now = Date.now();
const gateway = useStarted(() => startPlatform({ clock: () => now }));
let [store, other]: Store[] = [];
let ids: Record<'own' | 'foreign' | 'ofTheStore', bigint>;

beforeAll(async () => {
  [store, other] = [await createStore(gateway), await createStore(gateway)];
  const add = async (name: string, projectId: string | undefined) =>
    (await gateway.services.pets.create({ name, categoryId: 1n, status: 'available' }, projectId)).id;
  ids = {
    own: await add('Own', store.project.id),
    foreign: await add('Foreign', other.project.id),
    ofTheStore: await add('Of the store', undefined),
  };
});
// Whatever is cached ends.
beforeEach(() => (now += 60_000));

async function ask(query: string, at: Store | undefined): Promise<GraphQLBody> {
  const answer = await visit(gateway, at?.host ?? '', '/graphql', {
    method: 'POST',
    headers: { authorization: `Bearer ${at?.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  return JSON.parse(answer.text) as GraphQLBody;
}

const namesIn = (body: GraphQLBody) =>
  Array.from(JSON.stringify(body.data).matchAll(/"name":"([^"]*)"/g), ([, name]) => name);
const everyWay = () => `{
  pets { name } petsConnection { edges { node { name } } }
  petsByIds(ids: [${ids.own}, ${ids.foreign}, ${ids.ofTheStore}]) { name }
}`;

test("a site shows its own project's animals, in every way, and equal queries of two sites are not mixed up", async () => {
  const answers = await Promise.all([store, other, store, other].map((at) => ask(everyWay(), at)));
  expect(answers.map(namesIn)).toEqual(
    ['Own', 'Foreign', 'Own', 'Foreign'].map((name) => [name, name, name]),
  );
});

test('no filter leads to animals of others', async () => {
  for (const filter of [
    `{ projectId: "${other?.project.id}" }`,
    '{ mine: false, nameContains: "foreign" }',
    '{ status: available, categoryId: 1 }',
    `{ externalId: "F-1", projectId: "${other?.project.id}" }`,
  ]) {
    const text = JSON.stringify(
      await ask(`{ petsConnection(filter: ${filter}) { totalCount edges { node { name } } } }`, store),
    );
    expect(text).not.toMatch(/Foreign|Of the store/);
  }
  const answer = await ask(`{ pet(id: ${ids.foreign}) { name } }`, store);
  expect(answer.errors?.[0]?.extensions.code).toBe('pet_not_found');
});

test('siteAnimals: all shows the animals of everybody, from the next request on; own goes back', async () => {
  const administration = gateway.services.administration({ role: 'command line' });
  const names = async () => namesIn(await ask('{ pets { name } }', store));
  expect(await names()).toEqual(['Own']);
  await administration.updateProject(store?.project.id ?? '', { siteAnimals: 'all' });
  expect(await names()).toEqual(['Own', 'Foreign', 'Of the store']);
  await administration.updateProject(store?.project.id ?? '', { siteAnimals: 'own' });
  expect(await names()).toEqual(['Own']);
});
