import { useStarted, type TestGateway } from '../support/gateway.js';
import { askGraphQL, dataOf } from './graphql/client.js';
import { createStore, startPlatform, visit, type Store } from './sites/visitor.js';

let now = Date.now();
const clock = () => now;
const here = useStarted(() => startPlatform({ clock }));
const there = useStarted(() => startPlatform({ clock, beside: here }));
const gateways: readonly TestGateway[] = [here, there];
let store: Store;
let key: string;
let ifName = 0;

beforeAll(async () => {
  store = await createStore(here, { requestsPerMinute: 1_000_000, requestsPerDay: 1_000_000 });
  ({ secret: key } = await here.services.apiKeys.create({
    name: 'server',
    role: 'server',
    projectId: store.project.id,
  }));
});
// What a site has cached ends.
beforeEach(() => (now += 60_000));

interface Seen {
  id: string;
  name: string;
  categoryId: string;
  status: string;
}
const PET = '{ id name categoryId status }';
const CATEGORY = '9007199254740993';

const rest = async (gateway: TestGateway, path: string): Promise<string> =>
  (await gateway.request(path, { key })).text();
const restPet = ({ id, name, categoryId, status }: Seen) =>
  `{"id":${id},"name":"${name}","categoryId":${categoryId},"status":"${status}"}`;

/** All that a gateway shows of the pet, in every way of reading, as REST renders it. Each way has its own element. */
async function waysOf(gateway: TestGateway, { id, name }: Seen): Promise<string[]> {
  const data = await dataOf(
    askGraphQL<
      Record<'byId' | 'mine', Seen[]> &
        Record<'ids', (Seen | null)[]> &
        Record<string, { edges: { node: Seen }[] }>
    >(
      gateway,
      key,
      `query ($ids: [Int64!]!) {
        byId: pets(limit: 100) ${PET} mine: pets(limit: 100, mine: true) ${PET} ids: petsByIds(ids: $ids) ${PET}
        all: petsConnection(first: 100) { edges { node ${PET} } }
        newest: petsConnection(first: 100, orderBy: newest) { edges { node ${PET} } }
        ofCategory: petsConnection(filter: { categoryId: ${CATEGORY}, mine: true }) { edges { node ${PET} } }
        named: petsConnection(filter: { nameContains: "${name.slice(1)}" }) { edges { node ${PET} } }
        last: petsConnection(last: 100) { edges { node ${PET} } }
      }`,
      { ids: [id] },
    ),
  );
  const { byId, mine, ids, ...connections } = data;
  const lists = [
    byId,
    mine,
    ids,
    ...Object.values(connections).map(({ edges }) => edges.map(({ node }) => node)),
  ];
  const texts = await Promise.all([
    rest(gateway, '/v1/pets?limit=100'),
    rest(gateway, '/v1/pets?limit=100&mine=true'),
    rest(gateway, `/v1/pets?limit=100&categoryId=${CATEGORY}`),
    rest(gateway, `/v1/pets/${id}`),
  ]);
  return [
    ...lists
      .map((pets) => pets.find((pet) => pet?.id === id))
      .map((pet) => (pet == null ? '' : restPet(pet))),
    ...texts.map((text) => restPetIn(text, id)),
  ];
}

/** Empty if the response has no pet of this number. */
function restPetIn(text: string, id: string): string {
  const pets = text.match(/\{"id":[^{}]*\}/g) ?? [];
  return pets.find((pet) => pet.startsWith(`{"id":${id},`)) ?? '';
}

async function add(): Promise<Seen> {
  const name = `Rex ${(ifName += 1)}`;
  const projectId = store.project.id;
  const pet = await here.services.pets.create(
    { name, categoryId: BigInt(CATEGORY), status: 'available' },
    projectId,
  );
  return { id: String(pet.id), name, categoryId: CATEGORY, status: 'available' };
}

async function patched(gateway: TestGateway, { id }: Seen): Promise<void> {
  const answer = await gateway.request(`/v1/pets/${id}`, {
    method: 'PATCH',
    key,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: '{"status":"pending"}',
  });
  expect(answer.status).toBe(200);
}
async function removed(gateway: TestGateway, { id }: Seen): Promise<void> {
  expect((await gateway.request(`/v1/pets/${id}`, { method: 'DELETE', key })).status).toBe(204);
}
async function updatePet(gateway: TestGateway, { id }: Seen): Promise<void> {
  await dataOf(
    askGraphQL(
      gateway,
      key,
      `mutation { updatePet(input: { id: "${id}", status: pending }) { pet { id } } }`,
    ),
  );
}
async function deletePet(gateway: TestGateway, { id }: Seen): Promise<void> {
  await dataOf(askGraphQL(gateway, key, `mutation { deletePet(input: { id: "${id}" }) { deletedPetId } }`));
}

const CHANGES: [string, (gateway: TestGateway, pet: Seen) => Promise<void>, string | undefined][] = [
  ['PATCH', patched, 'pending'],
  ['updatePet', updatePet, 'pending'],
  ['DELETE', removed, undefined],
  ['deletePet', deletePet, undefined],
];

describe.each(CHANGES)('%s', (_name, change, status) => {
  const after = (pet: Seen) => (status === undefined ? '' : restPet({ ...pet, status }));

  test('is seen by every read that begins after its response, on this gateway and on another', async () => {
    const pet = await add();
    for (const gateway of gateways)
      expect(new Set(await waysOf(gateway, pet))).toEqual(new Set([restPet(pet)]));
    let isDone = false;
    // Reads that are under way all the time, with which a later read must not share what is old.
    const readers = gateways.map(async (gateway) => {
      while (!isDone) await waysOf(gateway, pet);
    });
    await change(here, pet);
    const seen = await Promise.all(gateways.map((gateway) => waysOf(gateway, pet)));
    isDone = true;
    await Promise.all(readers);
    for (const ways of seen) expect(new Set(ways)).toEqual(new Set([after(pet)]));
  });

  test('is seen on the site after 10 seconds at the latest, on every gateway', async () => {
    const pet = await add();
    const onSite = async (gateway: TestGateway) => {
      const answer = await visit(gateway, store.host, '/graphql', {
        method: 'POST',
        headers: { authorization: `Bearer ${store.secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query: `{ pets(limit: 100) ${PET} petsByIds(ids: ["${pet.id}"]) ${PET} }` }),
      });
      const { data } = JSON.parse(answer.text) as { data: Record<string, (Seen | null)[]> };
      return Object.values(data).map((pets) => {
        const found = pets.find((one) => one?.id === pet.id);
        return found == null ? '' : restPet(found);
      });
    };
    for (const gateway of gateways) expect(await onSite(gateway)).toEqual([restPet(pet), restPet(pet)]);
    await change(here, pet);
    now += 10_000;
    for (const gateway of gateways) expect(await onSite(gateway)).toEqual([after(pet), after(pet)]);
  });
});
