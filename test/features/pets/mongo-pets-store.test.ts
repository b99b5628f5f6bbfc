import type { mongo } from 'mongoose';
import { serviceUnavailable } from '../../../src/lib/errors.js';
import { insertFailures } from '../../../src/features/pets/mongo-pets-store.js';
import type { Pet } from '../../../src/features/pets/pet.js';
import { PetExists } from '../../../src/features/pets/pets-store.js';
import { mongoPets, type MongoPets } from '../../support/pets-stores.js';

const pets = [1n, 2n, 2n, 3n].map((id): Pet => ({
  id,
  name: 'Rex',
  categoryId: 1n,
  status: 'sold',
  createdAt: new Date(0),
}));
const documents = pets.map(({ id }) => ({ _id: id }));

let database: MongoPets;
beforeAll(async () => {
  database = await mongoPets();
});
afterAll(() => database.close());

/** What the driver throws. */
async function errorOf(collection: string, options: mongo.BulkWriteOptions): Promise<unknown> {
  const records = database.connection.db?.collection<{ _id: bigint }>(collection);
  return records?.insertMany(documents, { ordered: false, ...options }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('a taken id is the failure of one pet', async () => {
  const failures = insertFailures(await errorOf('one', {}), pets);
  expect(failures).toEqual([[2, new PetExists(2n)]]);
});

test('an unmet write concern is the failure of all, even with a taken id', async () => {
  // The set has one member, so a write to two members never succeeds.
  const error = await errorOf('two', { writeConcern: { w: 2, wtimeoutMS: 50 } });
  expect(error).toMatchObject({ name: 'MongoBulkWriteError' });
  const unconfirmed = serviceUnavailable('The database could not confirm the write in time.', error);
  expect(() => insertFailures(error, pets)).toThrow(unconfirmed);
});

test('a call that fails as a whole is the failure of all', async () => {
  const error = await errorOf('no$collection', {});
  expect(error).toMatchObject({ name: 'MongoBulkWriteError' });
  expect(() => insertFailures(error, pets)).toThrow(error as Error);
});
