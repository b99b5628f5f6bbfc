import { mongo as driver, type mongo } from 'mongoose';
import type { PetDocument } from '../../../src/features/pets/mongo-pet-document.js';
import { updateEach } from '../../../src/features/pets/mongo-pet-updates.js';
import type { Pet } from '../../../src/features/pets/pet.js';
import type { PetUpdate } from '../../../src/features/pets/pets-store.js';
import { mongoPets, type MongoPets } from '../../support/pets-stores.js';

let pets: MongoPets;
beforeEach(async () => {
  pets = await mongoPets();
});
afterEach(() => pets.close());

const petOf = (id: bigint): Pet => ({
  id,
  name: 'Rex',
  categoryId: 1n,
  status: 'available',
  createdAt: new Date(0),
});
const reserve = (id: bigint): PetUpdate => ({
  id,
  changes: { status: 'pending' },
  condition: { ifPet: { status: 'available' } },
});

type Command = Parameters<mongo.Db['command']>;

/** The collection, and its database with another first command. */
function withFirst(first: (run: mongo.Db['command'], ...asked: Command) => Promise<mongo.Document>) {
  const db = pets.connection.getClient().db(pets.connection.name);
  const run = db.command.bind(db);
  let isFirst = true;
  const command = async (...asked: Command) => {
    if (!isFirst) return run(...asked);
    isFirst = false;
    return first(run, ...asked);
  };
  const proxy = Object.assign(Object.create(db) as mongo.Db, { command });
  return [db.collection<PetDocument>('pets'), proxy] as const;
}

const ids = [1n, 2n, 3n];

test('a pet that another process changes between the read and the write is decided again, and no other one', async () => {
  for (const id of ids) await pets.store.insert(petOf(id));
  const target = withFirst(async (run, ...asked) => {
    await pets.store.update(2n, { status: 'sold' }, {});
    return run(...asked);
  });
  const outcomes = await updateEach(...target, ids.map(reserve));
  expect(outcomes).toEqual([
    { isDone: true, pet: petOf(1n) },
    { isDone: false, pet: { ...petOf(2n), status: 'sold' } },
    { isDone: true, pet: petOf(3n) },
  ]);
});

test('a write whose answer is lost was made: it is sent again, and changes nothing twice', async () => {
  for (const id of ids) await pets.store.insert(petOf(id));
  const target = withFirst(async (run, ...asked) => {
    await run(...asked);
    throw new driver.MongoNetworkError('connection closed');
  });
  const outcomes = await updateEach(...target, ids.map(reserve));
  expect(outcomes).toEqual(ids.map((id) => ({ isDone: true, pet: petOf(id) })));
  expect((await pets.store.getMany(ids)).map((pet) => pet?.status)).toEqual(ids.map(() => 'pending'));
});

test('a write that is not durable in time is the failure of all', async () => {
  await pets.store.insert(petOf(1n));
  // The set has one member, so a write to two members never succeeds.
  const target = withFirst((run, asked, ...others) =>
    run({ ...asked, writeConcern: { w: 2, wtimeout: 50 } }, ...others),
  );
  await expect(updateEach(...target, [reserve(1n)])).rejects.toMatchObject({ code: 'service_unavailable' });
});
