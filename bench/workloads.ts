import { PET_STATUSES } from '../src/features/pets/pet.js';

/** One HTTP request of a workload. */
export interface PetsRequest {
  method: 'GET' | 'PATCH' | 'POST';
  path: string;
  json?: string;
  /** How many pets a right answer holds: an empty list would be fast. */
  pets: number;
}

/** Whose words a server understands. */
export type Dialect = 'rest' | 'graphql' | 'parse';

export const WORKLOAD_NAMES = [
  'list',
  'lists',
  'list-own',
  'get',
  'create',
  'update',
  'graphql-list',
  'graphql-create',
  'mixed',
] as const;
export type WorkloadName = (typeof WORKLOAD_NAMES)[number];
/** Only for keys of the project that owns pets: those whose custom quota is never near its end. */
export const OWNER_WORKLOADS = ['list-own', 'update'] as const satisfies readonly WorkloadName[];
export const isOfOwners = (name: WorkloadName): name is (typeof OWNER_WORKLOADS)[number] =>
  OWNER_WORKLOADS.some((one) => one === name);

/** Sent in turn. The same work in each dialect; for a GraphQL workload the REST one is the baseline's. */
export type Workload = Partial<Record<Dialect, readonly PetsRequest[]>>;

const SIZE = 20;
export const IDS = 500;
const OWN_STRIDE = 10;
const LISTS_OF_A_STATUS = 20;
/** So that 60 kinds of list have the hot list's size on average. */
const SMALLEST_LIST = 11;
const STATUS = 'sold';
const NEW_PET = { name: 'Pixel', categoryId: 2, status: 'available' } as const;

const kindsOfList = PET_STATUSES.flatMap((status) =>
  Array.from({ length: LISTS_OF_A_STATUS }, (_, i) => ({ status, limit: SMALLEST_LIST + i })),
);

export const restList = (status: string, limit: number): PetsRequest => ({
  method: 'GET',
  path: `/v1/pets?status=${status}&limit=${limit}`,
  pets: limit,
});
const restListOwn: PetsRequest = { method: 'GET', path: `/v1/pets?mine=true&limit=${SIZE}`, pets: SIZE };
export const restGet = (id: number): PetsRequest => ({ method: 'GET', path: `/v1/pets/${id}`, pets: 1 });
export const restCreate: PetsRequest = {
  method: 'POST',
  path: '/v1/pets',
  json: JSON.stringify(NEW_PET),
  pets: 1,
};
export const restUpdate = (id: number, status: string): PetsRequest => ({
  method: 'PATCH',
  path: `/v1/pets/${id}`,
  json: JSON.stringify({ status }),
  pets: 1,
});

const CLASS = '/parse/classes/Pet';
const parseList = (status: string, limit: number): PetsRequest => ({
  method: 'GET',
  path: `${CLASS}?where=${encodeURIComponent(JSON.stringify({ status }))}&limit=${limit}&order=objectId`,
  pets: limit,
});
const parseGet = (id: number): PetsRequest => ({ method: 'GET', path: `${CLASS}/${parseId(id)}`, pets: 1 });
/** Answered with the new id and the time alone. */
const parseCreate: PetsRequest = { method: 'POST', path: CLASS, json: JSON.stringify(NEW_PET), pets: 0 };

const graphql = (query: string, pets: number): PetsRequest => ({
  method: 'POST',
  path: '/graphql',
  json: JSON.stringify({ query }),
  pets,
});
const PET = '{ id name categoryId status }';
const INPUT = `{ name: "${NEW_PET.name}", categoryId: ${NEW_PET.categoryId}, status: ${NEW_PET.status} }`;
const PARSE_PET = '{ objectId name categoryId status }';
const PARSE_LIST =
  `{ pets(where: { status: { equalTo: "${STATUS}" } }, first: ${SIZE}, order: [objectId_ASC]) ` +
  `{ edges { node ${PARSE_PET} } } }`;
const PARSE_INPUT = `{ name: "${NEW_PET.name}", categoryId: ${NEW_PET.categoryId}, status: "${NEW_PET.status}" }`;
const PARSE_CREATE = `mutation { createPet(input: { fields: ${PARSE_INPUT} }) { pet ${PARSE_PET} } }`;

/** What people read of them. */
export const TITLES: Readonly<Record<WorkloadName, string>> = {
  list: `one list of ${SIZE} by status`,
  lists: `lists of ${kindsOfList.length} kinds (status × limits around ${SIZE})`,
  'list-own': `one list of ${SIZE} of the key's own project, which has a tenth of the pets; bare http: of all`,
  get: `one pet, of ${IDS} ids`,
  create: 'a new pet, durable (majority, journaled)',
  update: `the status of each pet of the key's own project in turn, durable; bare http: of the same pets`,
  'graphql-list': `GraphQL: one list of ${SIZE} by status`,
  'graphql-create': 'GraphQL: a new pet',
  mixed: `80 % lists of ${SIZE}, 15 % gets, 5 % creates`,
};

/** Asked for by the gateway's REST API. */
export const REST_LISTS = kindsOfList.map(({ status, limit }) => restList(status, limit));

/** The ids that are asked for. Far apart, so that no two of them lie on one page of the collection. */
export function idsOf(pets: number): number[] {
  return Array.from({ length: IDS }, (_, i) => Math.floor((i * pets) / IDS) + 1);
}

/** Every tenth pet belongs to the project of the keys that change pets. */
export function ownIdsOf(pets: number): number[] {
  return Array.from({ length: Math.floor(pets / OWN_STRIDE) }, (_, i) => (i + 1) * OWN_STRIDE);
}

/** The workloads over this many pets, which are those that database.ts makes. */
export function createWorkloads(pets: number): Readonly<Record<WorkloadName, Workload>> {
  const ids = idsOf(pets);
  const own = ownIdsOf(pets);
  return {
    list: { rest: [restList(STATUS, SIZE)], parse: [parseList(STATUS, SIZE)] },
    lists: { rest: REST_LISTS, parse: kindsOfList.map(({ status, limit }) => parseList(status, limit)) },
    'list-own': { rest: [restListOwn] },
    get: { rest: ids.map(restGet), parse: ids.map(parseGet) },
    create: { rest: [restCreate], parse: [parseCreate] },
    // Each time around changes each of them.
    update: { rest: ['pending', 'available'].flatMap((status) => own.map((id) => restUpdate(id, status))) },
    'graphql-list': {
      rest: [restList(STATUS, SIZE)],
      graphql: [graphql(`{ pets(status: ${STATUS}, limit: ${SIZE}) ${PET} }`, SIZE)],
      parse: [graphql(PARSE_LIST, SIZE)],
    },
    'graphql-create': {
      rest: [restCreate],
      graphql: [graphql(`mutation { createPet(input: ${INPUT}) ${PET} }`, 1)],
      parse: [graphql(PARSE_CREATE, 1)],
    },
    mixed: {
      rest: mix(restList(STATUS, SIZE), ids.map(restGet), restCreate),
      parse: mix(parseList(STATUS, SIZE), ids.map(parseGet), parseCreate),
    },
  };
}

/** The id that Parse Server's pet is given for one of ours. */
export function parseId(id: number): string {
  return `pet${String(id).padStart(7, '0')}`;
}

/** Twenty requests for each three gets: sixteen lists, the three gets, a create, spread evenly. */
function mix(list: PetsRequest, gets: readonly PetsRequest[], create: PetsRequest): PetsRequest[] {
  const [first, second, third] = [0, 1, 2].map((offset) => gets.filter((_, i) => i % 3 === offset));
  const lists = (count: number) => Array.from({ length: count }, () => list);
  return (third ?? []).flatMap((get, i) => [
    ...lists(5),
    first?.[i] ?? get,
    ...lists(5),
    second?.[i] ?? get,
    ...lists(3),
    create,
    ...lists(3),
    get,
  ]);
}
