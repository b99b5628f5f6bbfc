import { PET_STATUSES } from '../../src/features/pets/pet.js';
import { cursorOf } from '../../src/features/pets/cursor.js';
import type { Keys } from '../load.js';
import { restCreate, restGet, restUpdate, type PetsRequest } from '../workloads.js';
import { IDS, ownIdsIn, type FilledKeys, type OperationName, type Size } from './sizes.js';

/** What people read of them. */
export const TITLES: Readonly<Record<OperationName, string>> = {
  list: 'the first 20 pets, of all and by status',
  'page-middle': '20 pets after a cursor in the middle, of all and by status',
  'page-end': '20 pets after a cursor near the end, of all and by status',
  get: 'one pet, its id from the whole range',
  'key-lookup': 'one pet, with a key that is not cached',
  keys: "the admin's list of keys by usageToday, its first page",
  'keys-deep': "the admin's list of keys by usageToday, pages all over it",
  mine: "20 of the key's own pets, by id",
  'mine-newest': "20 of the key's own pets, newest first",
  category: '20 pets of a category',
  newest: '20 pets, newest first',
  'search-rare': 'a text that one name of all contains',
  'search-frequent': '20 pets whose name contains a text that every name contains',
  'search-mine': "20 of the key's own pets of a category, newest first, by a part of the name",
  create: 'a new pet, durable (majority, journaled)',
  update: "the status of each of the key's own pets in turn, durable",
};

/** What a gateway is asked, and where its database spends the time. */
export interface Operation {
  /** Sent in turn. */
  requests: readonly PetsRequest[];
  keys: Keys;
  /** What it reads or writes in the end. */
  collection: 'pets' | 'apiKeys';
  access: 'reads' | 'writes';
  /** Text that a right answer holds once for each entry, and how many entries. */
  proof: { text: string; count: number };
}

const PAGE = 20;
/** Enough for a page of each status. */
const FROM_END = 100;

const KEYS_QUERY = `query($after: String) { apiKeys(first: ${PAGE}, after: $after, orderBy: usageToday) {
  edges { node { id name state usageToday project { name } quota { windows { name used } } } }
  pageInfo { hasNextPage endCursor } } }`;

/** @param adminSecret of the key that lists keys */
export function createOperations(
  size: Size,
  { secrets, usageCursors }: FilledKeys,
  adminSecret: string,
): Readonly<Record<OperationName, Operation>> {
  const { pets } = size;
  const inTurn = (all: readonly string[]): Keys => ({ secrets: all, requestsPerKey: 1 });
  const onPets = {
    keys: inTurn(secrets.slice(0, 1)),
    collection: 'pets',
    access: 'reads',
    proof: { text: '"categoryId":', count: PAGE },
  } as const;
  const onOnePet = { ...onPets, proof: { ...onPets.proof, count: 1 } };
  const onKeys = {
    keys: inTurn([adminSecret]),
    collection: 'apiKeys',
    access: 'reads',
    proof: { text: '"usageToday":', count: PAGE },
  } as const;
  const gets = idsOver(pets).map(restGet);
  return {
    list: { ...onPets, requests: pages('') },
    'page-middle': { ...onPets, requests: pages(after(Math.floor(pets / 2))) },
    'page-end': { ...onPets, requests: pages(after(pets - FROM_END)) },
    get: { ...onOnePet, requests: gets },
    'key-lookup': {
      ...onOnePet,
      requests: gets.slice(0, 1),
      keys: inTurn(secrets),
      collection: 'apiKeys',
    },
    keys: { ...onKeys, requests: [keysPage(undefined)] },
    'keys-deep': { ...onKeys, requests: usageCursors.map(keysPage) },
    mine: { ...onPets, requests: [ownPets] },
    'mine-newest': { ...onPets, requests: [petsPage('filter: { mine: true }, orderBy: newest')] },
    category: { ...onPets, requests: [ofCategory] },
    newest: { ...onPets, requests: [petsPage('orderBy: newest')] },
    'search-rare': { ...onOnePet, requests: [petsPage(`filter: { nameContains: "${pets - 7}" }`)] },
    'search-frequent': { ...onPets, requests: [petsPage('filter: { nameContains: "t n" }')] },
    'search-mine': {
      ...onPets,
      requests: [petsPage('filter: { mine: true, categoryId: 0, nameContains: "NUMBER" }, orderBy: newest')],
    },
    create: { ...onOnePet, requests: [restCreate], access: 'writes' },
    update: {
      ...onOnePet,
      requests: ['pending', 'available'].flatMap((status) =>
        ownIdsIn(size).map((id) => restUpdate(id, status)),
      ),
      access: 'writes',
    },
  };
}

const ownPets: PetsRequest = { method: 'GET', path: `/v1/pets?limit=${PAGE}&mine=true`, pets: PAGE };
const ofCategory: PetsRequest = { method: 'GET', path: `/v1/pets?limit=${PAGE}&categoryId=7`, pets: PAGE };

function petsPage(args: string): PetsRequest {
  const query = `{ petsConnection(first: ${PAGE}, ${args}) { edges { node { id categoryId } } } }`;
  return { method: 'POST', path: '/graphql', json: JSON.stringify({ query }), pets: 0 };
}

function pages(place: string): PetsRequest[] {
  return ['', ...PET_STATUSES.map((status) => `&status=${status}`)].map((filter) => ({
    method: 'GET',
    path: `/v1/pets?limit=${PAGE}${filter}${place}`,
    pets: PAGE,
  }));
}

function after(id: number): string {
  return `&after=${cursorOf(BigInt(id))}`;
}

/** Spread over the range, and each far from the one before. */
function idsOver(pets: number): number[] {
  const stride = Math.floor(pets / IDS);
  // 1,999 is prime to 5,000: it comes past each once.
  return Array.from({ length: IDS }, (_, i) => ((i * 1999) % IDS) * stride + 1);
}

function keysPage(cursor: string | undefined): PetsRequest {
  const json = JSON.stringify({ query: KEYS_QUERY.replace(/\s+/g, ' '), variables: { after: cursor } });
  return { method: 'POST', path: '/graphql', json, pets: 0 };
}
