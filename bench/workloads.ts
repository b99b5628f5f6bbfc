import { PET_STATUSES } from '../src/pets/pet.js';

/** One HTTP request of a workload. */
export interface PetsRequest {
  method: 'GET' | 'POST';
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
  'get',
  'create',
  'graphql-list',
  'graphql-create',
  'mixed',
] as const;
export type WorkloadName = (typeof WORKLOAD_NAMES)[number];

export interface Workload {
  title: string;
  /** Sent in turn. The same work in each dialect; for a GraphQL workload the REST one is the baseline's. */
  requests: Partial<Record<Dialect, readonly PetsRequest[]>>;
}

const SIZE = 20;
const IDS = 500;
const LISTS_OF_A_STATUS = 20;
/** So that 60 kinds of list have the hot list's size on average. */
const SMALLEST_LIST = 11;
const STATUS = 'sold';
const NEW_PET = { name: 'Pixel', categoryId: 2, status: 'available' } as const;

/** Of the pets that `fillWithPets` made: every 199th id of the first 100,000, so that neighbours are on other pages. */
const someIds = Array.from({ length: IDS }, (_, i) => i * 199 + 1);
const kindsOfList = PET_STATUSES.flatMap((status) =>
  Array.from({ length: LISTS_OF_A_STATUS }, (_, i) => ({ status, limit: SMALLEST_LIST + i })),
);

const restList = (status: string, limit: number): PetsRequest => ({
  method: 'GET',
  path: `/v1/pets?status=${status}&limit=${limit}`,
  pets: limit,
});
const restGet = (id: number): PetsRequest => ({ method: 'GET', path: `/v1/pets/${id}`, pets: 1 });
const restCreate: PetsRequest = {
  method: 'POST',
  path: '/v1/pets',
  json: JSON.stringify(NEW_PET),
  pets: 1,
};

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
const PARSE_INPUT = `{ name: "${NEW_PET.name}", categoryId: ${NEW_PET.categoryId}, status: "${NEW_PET.status}" }`;

export const WORKLOADS: Readonly<Record<WorkloadName, Workload>> = {
  list: {
    title: `one list of ${SIZE} by status`,
    requests: { rest: [restList(STATUS, SIZE)], parse: [parseList(STATUS, SIZE)] },
  },
  lists: {
    title: `lists of ${kindsOfList.length} kinds (status × limit), of ${SIZE} on average`,
    requests: {
      rest: kindsOfList.map(({ status, limit }) => restList(status, limit)),
      parse: kindsOfList.map(({ status, limit }) => parseList(status, limit)),
    },
  },
  get: {
    title: `one pet, of ${IDS} ids`,
    requests: { rest: someIds.map(restGet), parse: someIds.map(parseGet) },
  },
  create: {
    title: 'a new pet, durable (majority, journaled)',
    requests: { rest: [restCreate], parse: [parseCreate] },
  },
  'graphql-list': {
    title: `GraphQL: one list of ${SIZE} by status`,
    requests: {
      rest: [restList(STATUS, SIZE)],
      graphql: [graphql(`{ pets(status: ${STATUS}, limit: ${SIZE}) ${PET} }`, SIZE)],
      parse: [
        graphql(
          `{ pets(where: { status: { equalTo: "${STATUS}" } }, first: ${SIZE}, order: [objectId_ASC]) ` +
            '{ edges { node { objectId name categoryId status } } } }',
          SIZE,
        ),
      ],
    },
  },
  'graphql-create': {
    title: 'GraphQL: a new pet',
    requests: {
      rest: [restCreate],
      graphql: [graphql(`mutation { createPet(input: ${INPUT}) ${PET} }`, 1)],
      parse: [
        graphql(
          `mutation { createPet(input: { fields: ${PARSE_INPUT} }) { pet { objectId name categoryId status } } }`,
          1,
        ),
      ],
    },
  },
  mixed: {
    title: `80 % lists of ${SIZE}, 15 % gets, 5 % creates`,
    requests: {
      rest: mix(restList(STATUS, SIZE), someIds.map(restGet), restCreate),
      parse: mix(parseList(STATUS, SIZE), someIds.map(parseGet), parseCreate),
    },
  },
};

/** The ids that `fillWithPets` gives Parse Server's pets. */
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
