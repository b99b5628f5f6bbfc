import * as fc from 'fast-check';
import { foldName } from '../../src/features/pets/name-search.js';
import { PET_ORDERS, type PetsPage, type PetsQuery } from '../../src/features/pets/page.js';
import { PET_STATUSES, type Pet } from '../../src/features/pets/pet.js';
import type { PetsStore } from '../../src/features/pets/pets-store.js';
import { mongoPets, type Layer, type MongoPets } from '../support/pets-stores.js';

const PROJECTS = ['proj_a', 'proj_b', undefined] as const;
const CATEGORIES = [1n, 2n, -9007199254740993n] as const;
const NUMBERS = ['1', 'A-1', 'a-1', '🐕'] as const;
/** Few letters, so that texts occur in several names; some that change their length with their case. */
const LETTERS = ['a', 'A', 'b', 'B', 'ß', 'S', 's', 'é', 'e\u0301', 'Σ', 'ς', ' ', '.', '🐕', '\u{10ffff}'];

const text = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...LETTERS), { minLength, maxLength }).map((letters) => letters.join(''));
const some = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const animal = fc.record({
  name: text(1, 12),
  categoryId: fc.constantFrom(...CATEGORIES),
  status: fc.constantFrom(...PET_STATUSES),
  projectId: fc.constantFrom(...PROJECTS),
  externalId: some(fc.constantFrom(...NUMBERS)),
  // Many of the same millisecond.
  createdAt: fc.integer({ min: 0, max: 5 }).map((ms) => new Date(ms)),
});
const query = fc.record({
  limit: fc.integer({ min: 1, max: 7 }),
  status: some(fc.constantFrom(...PET_STATUSES)),
  categoryId: some(fc.constantFrom(...CATEGORIES)),
  nameContains: some(text(1, 10)),
  projectId: some(fc.constantFrom('proj_a', 'proj_b', null, 'proj_none')),
  externalId: fc.option(fc.constantFrom(...NUMBERS, 'none'), { nil: undefined, freq: 3 }),
  orderBy: some(fc.constantFrom(...PET_ORDERS)),
  isBackward: some(fc.boolean()),
});

type Asked = Pick<PetsQuery, 'limit'> & { [Field in keyof PetsQuery]?: PetsQuery[Field] | undefined };

/** What the description of the list says, in the simplest words. */
function expectedOf(all: readonly Pet[], asked: Asked): Pet[] {
  const { status, categoryId, nameContains, projectId, externalId, orderBy, isBackward } = asked;
  const matching = all.filter(
    (pet) =>
      (status === undefined || pet.status === status) &&
      (categoryId === undefined || pet.categoryId === categoryId) &&
      (nameContains === undefined || foldName(pet.name).includes(foldName(nameContains))) &&
      (projectId === undefined || (pet.projectId ?? null) === projectId) &&
      (externalId === undefined || (projectId != null && pet.externalId === externalId)),
  );
  const byId = (a: Pet, b: Pet) => (a.id < b.id ? -1 : 1);
  const ordered =
    orderBy === 'newest'
      ? matching.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || byId(b, a))
      : matching.sort(byId);
  return isBackward === true ? ordered.reverse() : ordered;
}

/** A number is of one pet of its project, and of none that belongs to no project. */
function numberedOnce(pets: readonly Pet[]): Pet[] {
  const taken = new Set<string>();
  return pets.map((pet) => {
    const number = `${pet.projectId} ${pet.externalId}`;
    if (pet.projectId !== undefined && !taken.has(number)) {
      taken.add(number);
      return pet;
    }
    return { ...pet, externalId: undefined };
  });
}

/** Follows the pages to the end. */
async function readAll(store: PetsStore, asked: Asked): Promise<Pet[]> {
  const seen: Pet[] = [];
  let place: Pick<PetsQuery, 'afterId' | 'afterTime'> = {};
  for (;;) {
    const page: PetsPage = await store.list({ ...definedOf(asked), ...place });
    expect(page.pets.length).toBeLessThanOrEqual(asked.limit);
    seen.push(...page.pets);
    const last = page.end ?? page.pets.at(-1);
    if (!page.hasMore) return seen;
    if (last === undefined) throw new Error('a page without pets has more, and no end');
    const id = 'id' in last ? last.id : 0n;
    place = { afterId: id, ...(asked.orderBy === 'newest' && { afterTime: last.createdAt }) };
  }
}

function definedOf(asked: Asked): PetsQuery {
  return Object.fromEntries(
    Object.entries(asked).filter(([, value]) => value !== undefined),
  ) as unknown as PetsQuery;
}

/** Lists of the store, with every combination of filters, orders and directions, against a model. */
export function describePetLists(name: string, layer: Layer, runs: number): void {
  describe(`lists of pets in ${name}`, () => {
    // A page that may examine 3 pets is often cut short.
    const bounds = [undefined, 3] as const;
    let opened: MongoPets[];
    beforeAll(async () => {
      opened = await Promise.all(bounds.map((maxExamined) => mongoPets(maxExamined ? { maxExamined } : {})));
    });
    afterAll(() => Promise.all(opened.map((mongo) => mongo.close())));

    test.each([
      ['as they are', 0],
      ['when a page examines 3 pets at most', 1],
    ])('filters × order × direction × page size, page after page, as in the model: %s', async (_what, at) => {
      const mongo = opened[at];
      if (mongo === undefined) throw new Error('not opened');
      const store = layer(mongo.store);
      await fc.assert(
        fc.asyncProperty(
          fc.array(animal, { maxLength: 40 }),
          fc.array(query, { minLength: 12, maxLength: 12 }),
          async (animals, queries) => {
            await mongo.connection.collection('pets').deleteMany({});
            const pets = numberedOnce(animals.map((one, i): Pet => ({ id: BigInt(i + 1), ...one })));
            expect((await store.insertEach(pets)).filter((failure) => failure !== undefined)).toEqual([]);
            await Promise.all(queries.map((asked) => expectAsInModel(store, pets, asked, at === 0)));
          },
        ),
        { numRuns: runs },
      );
    });
  });
}

/** @param isCounted whether the store may examine all pets, so that each count is exact */
async function expectAsInModel(
  store: PetsStore,
  pets: readonly Pet[],
  asked: Asked,
  isCounted: boolean,
): Promise<void> {
  const expected = expectedOf(pets, asked);
  expect((await readAll(store, asked)).map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  const count = await store.count(definedOf(asked));
  expect([expected.length, isCounted ? expected.length : undefined]).toContain(count);
}
