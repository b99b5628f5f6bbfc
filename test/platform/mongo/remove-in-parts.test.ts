import { createMongoIdempotencyStore } from '../../../src/features/pets/idempotency/mongo-idempotency-store.js';
import { createMongoUsageStore } from '../../../src/features/usage/mongo-usage-store.js';
import { useRawDatabase } from '../../support/use-raw-database.js';

const { raw } = useRawDatabase();
afterEach(async () => {
  await raw().dropDatabase();
});

const stores = [
  {
    collection: 'idempotencyKeys',
    remove: (signal: AbortSignal) =>
      createMongoIdempotencyStore(raw(), Date.now).removeUnder('createPet:proj_1:', signal),
  },
  {
    collection: 'usage',
    remove: (signal: AbortSignal) => createMongoUsageStore(raw()).removeOfProject('proj_1', signal),
  },
];

async function fill(collection: string): Promise<void> {
  const of = (projectId: string, count: number) =>
    Array.from({ length: count }, (_, i) => ({ _id: `createPet:${projectId}:${i}` as never, projectId }));
  await raw()
    .collection(collection)
    .insertMany([...of('proj_1', 1201), ...of('proj_2', 1)]);
}

test.each(stores)(
  '$collection of one project goes whole, and of no other',
  async ({ collection, remove }) => {
    await fill(collection);
    await remove(new AbortController().signal);
    expect(await raw().collection(collection).find().toArray()).toMatchObject([{ projectId: 'proj_2' }]);
  },
);

test.each(stores)('a removal of $collection ends with the part under way', async ({ collection, remove }) => {
  await fill(collection);
  const stop = new AbortController();
  const removing = remove(stop.signal);
  stop.abort();
  await expect(removing).rejects.toBe(stop.signal.reason);
  const left = await raw().collection(collection).countDocuments({ projectId: 'proj_1' });
  expect(left).toBeGreaterThan(0);
});
