import type { Connection, mongo } from 'mongoose';
import { scopesOf } from '../../../../src/features/pets/idempotency/claim-key.js';
import { createCreatePetOnce } from '../../../../src/features/pets/idempotency/create-pet-once.js';
import type {
  IdempotencyRecord,
  IdempotencyStore,
} from '../../../../src/features/pets/idempotency/idempotency-store.js';
import { createMongoIdempotencyStore } from '../../../../src/features/pets/idempotency/mongo-idempotency-store.js';
import type { NewPet } from '../../../../src/features/pets/pet.js';
import type { PetsStore } from '../../../../src/features/pets/pets-store.js';
import { DAY_MS } from '../../../../src/lib/clock.js';
import { sha256 } from '../../../../src/lib/sha256.js';
import { mongoPets, type MongoPets } from '../../../support/pets-stores.js';

/** What POST /v1/pets does with an Idempotency-Key, over the real stores, without a gateway around it. */
const NOON = Date.parse('2029-06-15T12:00:00.000Z');
const HOLD_MS = 5000;
const REX: NewPet = { name: 'Rex', categoryId: 1n, status: 'available' };
const IN_PROGRESS = {
  code: 'idempotency_in_progress',
  message: 'A request with this Idempotency-Key is under way.',
  retryAfterSeconds: 1,
};

let nowMs: number;
const clock = () => nowMs;
let database: MongoPets;
let pets: PetsStore;
let records: IdempotencyStore;
beforeAll(async () => {
  database = await mongoPets();
  pets = database.store;
  records = createMongoIdempotencyStore(database.connection, clock);
});
afterAll(() => database.close());
beforeEach(() => {
  nowMs = NOON;
});

const createOnce = (over: Partial<PetsStore> = {}, recordsOver: Partial<IdempotencyStore> = {}) =>
  createCreatePetOnce({ ...pets, ...over }, { ...records, ...recordsOver }, clock);
const create = (key: string, newPet = REX, owner = 'p1') =>
  createOnce()({ owner, idempotencyKey: key }, newPet);
const stored = (connection: Connection) =>
  connection.getClient().db(connection.name).collection<mongo.Document & { _id: string }>('idempotencyKeys');
const storedOf = (key: string, owner = 'p1') =>
  stored(database.connection).findOne({ _id: `createPet:${owner}:${sha256(key, 'base64url')}` });

/** An attempt that ends before or after its pet is stored; a killed process releases nothing. */
async function crash(key: string, at: 'before the pet' | 'after the pet'): Promise<bigint> {
  let petId = 0n;
  const insertOnce: PetsStore['insertOnce'] = async (pet) => {
    petId = pet.id;
    if (at === 'after the pet') await pets.insertOnce(pet);
    throw new Error('killed');
  };
  const dying = createOnce({ insertOnce }, { release: () => Promise.resolve() });
  await expect(dying({ owner: 'p1', idempotencyKey: key }, REX)).rejects.toThrow('killed');
  return petId;
}

describe('a pet is created once', () => {
  test('and the same request again is a replay of it', async () => {
    const first = await create('once');
    expect(first).toEqual({
      pet: { id: expect.any(BigInt) as bigint, ...REX, createdAt: new Date(NOON) },
      replayed: false,
    });
    expect(await pets.get(first.pet.id)).toEqual(first.pet);
    expect(await create('once', { ...REX })).toEqual({ pet: first.pet, replayed: true });
    expect(
      (
        await createOnce({ reserveId: () => Promise.resolve(first.pet.id + 100n) })(
          { owner: 'p1', idempotencyKey: 'once' },
          REX,
        )
      ).pet,
    ).toEqual(first.pet);
  });

  test.each<Partial<NewPet>>([{ name: 'Max' }, { categoryId: 2n }, { status: 'sold' }])(
    'but not for another request under the same key: %p',
    async (other) => {
      const key = `other ${Object.keys(other).join()}`;
      await create(key);
      await expect(create(key, { ...REX, ...other })).rejects.toMatchObject({
        code: 'idempotency_mismatch',
        message: 'This Idempotency-Key was used for another request within the last 24 hours. Use a new one.',
      });
    },
  );

  test('for each key of each owner', async () => {
    const ids = [await create('mine'), await create('mine too'), await create('mine', REX, 'p2')].map(
      ({ pet }) => pet.id,
    );
    expect(new Set(ids).size).toBe(3);
  });

  test('for 24 hours', async () => {
    const first = await create('day');
    nowMs += DAY_MS - 1;
    expect(await create('day')).toEqual({ pet: first.pet, replayed: true });
    nowMs += 1;
    const later = await create('day');
    expect(later.replayed).toBe(false);
    expect(later.pet.id).not.toBe(first.pet.id);
  });

  test('by twenty at once: the others are asked to come again', async () => {
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => create('crowd')));
    const made = attempts.flatMap((attempt) => (attempt.status === 'fulfilled' ? [attempt.value] : []));
    expect(made.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect(new Set(made.map(({ pet }) => pet.id)).size).toBe(1);
    for (const attempt of attempts)
      if (attempt.status === 'rejected') expect(attempt.reason).toMatchObject(IN_PROGRESS);
  });
});

describe('an attempt that fails', () => {
  test('lets the next one begin at once, with the same pet', async () => {
    let petId: bigint | undefined;
    const failing = createOnce({
      insertOnce: (pet) => {
        petId = pet.id;
        return Promise.reject(new Error('cut'));
      },
    });
    await expect(failing({ owner: 'p1', idempotencyKey: 'failed' }, REX)).rejects.toThrow('cut');
    expect(await create('failed')).toEqual({
      pet: { id: petId, ...REX, createdAt: new Date(NOON) },
      replayed: false,
    });
  });

  test('says why, though it cannot say that it is over', async () => {
    const down = () => Promise.reject(new Error('down'));
    const failing = createOnce({ insertOnce: () => Promise.reject(new Error('cut')) }, { release: down });
    await expect(failing({ owner: 'p1', idempotencyKey: 'down' }, REX)).rejects.toThrow('cut');
    await expect(create('down')).rejects.toMatchObject(IN_PROGRESS);
  });

  test.each(['before the pet', 'after the pet'] as const)(
    'because the process dies %s: taken over five seconds later, once',
    async (at) => {
      const petId = await crash(at, at);
      nowMs += HOLD_MS - 1;
      await expect(create(at)).rejects.toMatchObject(IN_PROGRESS);
      nowMs += 1;
      const late = createOnce({}, { takeOver: () => Promise.resolve(false) });
      await expect(late({ owner: 'p1', idempotencyKey: at }, REX)).rejects.toMatchObject(IN_PROGRESS);
      expect(await create(at)).toEqual({
        pet: { id: petId, ...REX, createdAt: new Date(NOON) },
        replayed: false,
      });
      expect((await storedOf(at))?.['heldUntil']).toEqual(new Date(nowMs + HOLD_MS));
      expect(await create(at)).toEqual({
        pet: { id: petId, ...REX, createdAt: new Date(NOON) },
        replayed: true,
      });
    },
  );

  test('of a process with a fast clock does not hold it for longer', async () => {
    nowMs += 1;
    const petId = await crash('fast', 'after the pet');
    nowMs -= 1;
    expect((await create('fast')).pet.id).toBe(petId);
    await crash('exact', 'after the pet');
    await expect(create('exact')).rejects.toMatchObject(IN_PROGRESS);
  });
});

describe('the record', () => {
  const record: IdempotencyRecord = {
    fingerprint: 'f',
    petId: 7n,
    createdAt: new Date(NOON),
    heldUntil: new Date(NOON),
    isMade: false,
  };
  const EXPIRES = new Date(NOON + DAY_MS);
  const held = new Date(NOON + 1000);
  const begun = async (scope: string) => (await records.begin(scope, record, EXPIRES)).record;
  let scopes = 0;
  const newScope = () => `scope:${++scopes}`;

  test('has the form that other versions will read', async () => {
    await create('form', { ...REX, name: 'Zoë "' });
    expect(await storedOf('form')).toEqual({
      _id: `createPet:p1:${sha256('form', 'base64url')}`,
      fingerprint: sha256('["Zoë \\"","1","available"]', 'base64url'),
      petId: expect.anything() as unknown,
      createdAt: new Date(nowMs),
      heldUntil: new Date(NOON + HOLD_MS),
      isMade: true,
      expiresAt: EXPIRES,
    });
  });

  test.each([true, false])(
    'made: %p; only one that is not made is taken over and released',
    async (isMade) => {
      const scope = newScope();
      await begun(scope);
      if (isMade) await records.finish(scope);
      expect(await records.begin(scope, record, EXPIRES)).toEqual({
        isOurs: false,
        record: { ...record, isMade },
      });
      expect(await records.takeOver(scope, record, held)).toBe(!isMade);
      await records.release(scope, new Date(NOON + 2000));
      const after = (await records.begin(scope, record, EXPIRES)).record.heldUntil;
      expect(after).toEqual(isMade ? record.heldUntil : new Date(NOON + 2000));
    },
  );

  test('is taken over by one of two, and only as it was seen', async () => {
    const scope = newScope();
    await begun(scope);
    expect(await records.takeOver(scope, { ...record, fingerprint: 'other' }, held)).toBe(false);
    expect(await records.takeOver(scope, { ...record, heldUntil: held }, held)).toBe(false);
    const both = await Promise.all([1, 2].map(() => records.takeOver(scope, record, held)));
    expect(both.filter(Boolean)).toHaveLength(1);
  });

  test('that cannot be written is an error', async () => {
    // More than MongoDB takes for one document.
    const fingerprint = 'x'.repeat(17 * 1024 * 1024);
    await expect(records.begin(newScope(), { ...record, fingerprint }, EXPIRES)).rejects.toThrow();
  });

  test('goes with its owner, and with no other', async () => {
    for (const owner of ['gone', 'gone2', 'stays']) await create('k', REX, owner);
    expect(scopesOf('gone')).toEqual(['createPet:gone:', 'updatePet:gone:', 'deletePet:gone:']);
    for (const scopes of scopesOf('gone')) await records.removeUnder(scopes, new AbortController().signal);
    expect(await storedOf('k', 'gone')).toBeNull();
    for (const owner of ['gone2', 'stays']) expect(await storedOf('k', owner)).not.toBeNull();
    await expect(records.removeUnder('createPet:stays:', AbortSignal.abort())).rejects.toThrow();
    expect(await storedOf('k', 'stays')).not.toBeNull();
  });
});
