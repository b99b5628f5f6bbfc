import { PET_ORDERS, type PetsFilter, type PetsQuery } from '../../src/features/pets/page.js';
import { PET_STATUSES } from '../../src/features/pets/pet.js';
import { expectPlan } from '../contract/pet-list-plans.js';
import { mongoPets, type MongoPets } from '../support/pets-stores.js';

let mongo: MongoPets;
const createdAt = new Date(1_000);
beforeAll(async () => {
  mongo = await mongoPets();
  await mongo.store.insertEach(
    Array.from({ length: 300 }, (_, i) => ({
      id: BigInt(i + 1),
      name: `Pet ${i}`,
      categoryId: BigInt(i % 5),
      status: PET_STATUSES[i % 3] ?? 'sold',
      projectId: i % 4 === 0 ? undefined : `proj_${i % 4}`,
      ...(i % 8 === 1 && { externalId: `A-${i}` }),
      createdAt: new Date(1000 + Math.floor(i / 3)),
    })),
  );
});
afterAll(() => mongo.close());

const OWNERS = [
  {},
  { projectId: 'proj_1' },
  { projectId: null },
  { projectId: 'proj_1', externalId: 'A-17' },
];
/** Every combination of the conditions. */
const FILTERS: PetsFilter[] = [{}, { status: 'sold' as const }].flatMap((a) =>
  OWNERS.flatMap((b) =>
    [{}, { categoryId: 2n }].flatMap((c) =>
      [{}, { nameContains: 'et 1' }].map((d) => ({ ...a, ...b, ...c, ...d })),
    ),
  ),
);

test.each(PET_ORDERS)(
  'by %s, every combination of filters reads an index in order, from each place',
  async (orderBy) => {
    const places: Partial<PetsQuery>[] = [
      {},
      { afterId: 150n, ...(orderBy === 'newest' && { afterTime: createdAt }) },
    ];
    for (const filter of FILTERS)
      for (const place of places)
        for (const isBackward of [false, true])
          await expectPlan(mongo.connection, { limit: 20, orderBy, isBackward, ...filter, ...place });
  },
);

test.each(PET_ORDERS)('by %s, an own number examines one animal, whatever else is asked', async (orderBy) => {
  const database = mongo.connection.getClient().db(mongo.connection.name);
  const profiled = database.collection('system.profile');
  const asked = FILTERS.filter(({ externalId }) => externalId !== undefined);
  const from = new Date();
  await database.command({ profile: 2 });
  for (const filter of asked) {
    await mongo.store.list({ limit: 20, orderBy, ...filter });
    await mongo.store.count(filter);
  }
  await database.command({ profile: 0 });
  const seen = await profiled.find({ ns: /\.pets$/, ts: { $gte: from } }).toArray();
  expect(seen.length).toBeGreaterThanOrEqual(2 * asked.length);
  for (const { planSummary, docsExamined, hasSortStage = false } of seen) {
    expect([planSummary, hasSortStage]).toEqual(['IXSCAN { projectId: 1, externalId: 1 }', false]);
    expect(Number(docsExamined)).toBeLessThanOrEqual(1);
  }
});

test('a project of few animals examines only these, whatever is searched in it', async () => {
  const database = mongo.connection.getClient().db(mongo.connection.name);
  await database.command({ profile: 2 });
  await mongo.store.list({ limit: 20, projectId: 'proj_1', nameContains: 'nothing like it' });
  await mongo.store.list({ limit: 20, nameContains: 'pet 299' });
  await database.command({ profile: 0 });
  const seen = await database
    .collection('system.profile')
    .find({ ns: /\.pets$/ })
    .toArray();
  expect(seen).not.toEqual([]);
  for (const { planSummary, docsExamined } of seen) {
    expect(String(planSummary)).not.toContain('COLLSCAN');
    expect(Number(docsExamined)).toBeLessThanOrEqual(75);
  }
});
