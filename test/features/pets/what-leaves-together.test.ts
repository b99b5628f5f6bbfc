import type { Pet } from '../../../src/features/pets/pet.js';
import type { PetsStore } from '../../../src/features/pets/pets-store.js';
import { coalescedReads, groupCommit, mongoPets, type MongoPets } from '../../support/pets-stores.js';
import { recordedPets, type StoreCall } from '../../support/recorded-pets.js';

const petOf = (id: bigint): Pet => ({
  id,
  name: `pet ${id}`,
  categoryId: id,
  status: 'sold',
  createdAt: new Date(0),
});
const idsFrom = (first: number, count: number) => Array.from({ length: count }, (_, i) => BigInt(first + i));

let mongo: MongoPets;
let inner: PetsStore;
let calls: StoreCall[];
beforeEach(async () => {
  mongo = await mongoPets();
  await mongo.store.insertEach(idsFrom(1, 20).map(petOf));
  ({ store: inner, calls } = recordedPets(mongo.store));
});
afterEach(() => mongo.close());

describe('coalesced reads', () => {
  test('asks an idle store within the tick of the request: a list, a get and many ids, in parallel', async () => {
    const store = coalescedReads(inner);
    const list = store.list({ limit: 2, status: 'sold' });
    const get = store.get(1n);
    expect(calls).toEqual([
      ['list', { limit: 2, status: 'sold' }],
      ['getMany', [1n]],
    ]);
    await Promise.all([list, get]);
  });

  test('lists that differ only in limit share the longest; requests for the same page get the same object', async () => {
    const store = coalescedReads(inner);
    const asked = [1, 3, 19, 20, 3].map((limit) => store.list({ limit }));
    const pages = await Promise.all(asked);
    expect(calls).toEqual([
      ['list', { limit: 1 }],
      ['list', { limit: 20 }],
    ]);
    expect(pages.map(({ pets, hasMore }) => [pets.length, hasMore])).toEqual([
      [1, true],
      [3, true],
      [19, true],
      [20, false],
      [3, true],
    ]);
    expect(pages[4]).toBe(pages[1]);
  });

  test('a list does not wait for one of another status or place', async () => {
    const store = coalescedReads(inner);
    const queries = [{ limit: 5 }, { limit: 5, status: 'sold' as const }, { limit: 5, afterId: 3n }];
    const asked = queries.map((query) => store.list(query));
    expect(calls).toEqual(queries.map((query) => ['list', query]));
    await Promise.all(asked);
  });

  test('ids asked for together are one query, each id once, and at most 500 in one', async () => {
    const store = coalescedReads(inner);
    const asked = [...idsFrom(1, 600), ...idsFrom(1, 5)].map((id) => store.get(id));
    const found = await Promise.all([...asked, store.getMany([2n, 1n])]);
    expect(found.slice(0, 21)).toEqual([...idsFrom(1, 20).map(petOf), undefined]);
    expect(found.at(-1)).toEqual([petOf(2n), petOf(1n)]);
    expect(calls).toEqual([
      ['getMany', [1n]],
      ['getMany', idsFrom(2, 500)],
      ['getMany', [...idsFrom(502, 99), ...idsFrom(1, 5)]],
    ]);
  });
});

describe('group commit', () => {
  test('asks an idle store within the tick of the request; requests that arrive meanwhile leave together', async () => {
    const store = groupCommit(inner);
    const inserts = [store.insert(petOf(101n))];
    expect(calls).toEqual([['insertEach', [petOf(101n)]]]);
    inserts.push(store.insert(petOf(102n)), store.insertOnce(petOf(103n)), store.insert(petOf(104n)));
    await Promise.all(inserts);
    expect(calls.slice(1)).toEqual([['insertEach', [102n, 103n, 104n].map(petOf)]]);
    expect(await mongo.store.getMany(idsFrom(101, 4))).toEqual(idsFrom(101, 4).map(petOf));
  });

  test('a group holds at most 1000', async () => {
    const store = groupCommit(inner);
    await Promise.all(idsFrom(1001, 1101).map((id) => store.insert(petOf(id))));
    expect(calls.map(([, pets]) => (pets as Pet[]).length)).toEqual([1, 1000, 100]);
  });
});
