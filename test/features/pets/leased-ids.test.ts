import type { PetsStore } from '../../../src/features/pets/pets-store.js';
import { withLeasedIds } from '../../../src/features/pets/leased-ids.js';
import { mongoPets, type MongoPets } from '../../support/pets-stores.js';
import { recordedPets, type StoreCall } from '../../support/recorded-pets.js';

let mongo: MongoPets;
let store: PetsStore;
let calls: StoreCall[];
let nowMs: number;
beforeEach(async () => {
  nowMs = Date.now();
  mongo = await mongoPets();
  const recorded = recordedPets(mongo.store);
  calls = recorded.calls;
  store = withLeasedIds(recorded.store, () => nowMs);
});
afterEach(() => mongo.close());

async function reserve(count: number): Promise<bigint[]> {
  const ids: bigint[] = [];
  for (let i = 0; i < count; i++) ids.push(await store.reserveId());
  return ids;
}

const blockSizes = () => calls.map(([, count]) => count);

test('creating a pet now and then leaves no gaps', async () => {
  const ids: bigint[] = [];
  for (let i = 0; i < 5; i++) {
    ids.push(await store.reserveId());
    nowMs += 1000;
  }
  expect(ids).toEqual([1n, 2n, 3n, 4n, 5n]);
  expect(blockSizes()).toEqual([1, 1, 1, 1, 1]);
});

test('blocks double while they are used up in time, up to 1000 ids', async () => {
  expect(await reserve(3000)).toEqual(Array.from({ length: 3000 }, (_, i) => BigInt(i + 1)));
  expect(blockSizes()).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000, 1000]);
});

test('an id is no older than a second: the rest of a block expires, and the next block starts at one id again', async () => {
  await reserve(4);
  nowMs += 1000;
  expect(await reserve(2)).toEqual([8n, 9n]);
  expect(blockSizes()).toEqual([1, 2, 4, 1, 2]);
});

test('concurrent requests share one block, large enough for all', async () => {
  const ids = await Promise.all(Array.from({ length: 50 }, () => store.reserveId()));
  expect(new Set(ids).size).toBe(50);
  expect(blockSizes()).toEqual([1, 49]);
});

test('a failed reservation assigns no id, and the next one starts over', async () => {
  await reserve(1);
  const validate = (validator: object) => mongo.connection.db?.command({ collMod: 'sequences', validator });
  await validate({ last: { $lt: 2 } });
  await expect(store.reserveId()).rejects.toThrow('Document failed validation');
  await validate({});
  expect(await reserve(2)).toEqual([2n, 3n]);
});
