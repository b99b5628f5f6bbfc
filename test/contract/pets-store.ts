import { INT64_MAX, INT64_MIN } from '../../src/lib/int64.js';
import type { NewPet, Pet } from '../../src/features/pets/pet.js';
import { ExternalIdTaken, PetExists, type PetsStore } from '../../src/features/pets/pets-store.js';
import type { PetCondition } from '../../src/features/pets/pet-change.js';
import { transact } from '../../src/platform/mongo/connection.js';
import { mongoPets, type Layer, type MongoPets } from '../support/pets-stores.js';

const STATUSES = ['available', 'pending', 'sold'] as const;
const FAR_IDS = [INT64_MIN, -9007199254740993n, 9007199254740993n, INT64_MAX] as const;

const newPet = (i: number): NewPet => ({
  name: `pet ${i}`,
  categoryId: BigInt(i),
  status: STATUSES[i % 3] ?? 'sold',
});
const petOf = (id: bigint, name = `pet ${id}`): Pet => ({
  id,
  name,
  categoryId: id,
  status: 'sold',
  createdAt: new Date(Number(BigInt.asUintN(40, id))),
});
const byId = (a: Pet, b: Pet) => (a.id < b.id ? -1 : 1);

/** What every composition of the store keeps to: see src/features/pets/pets-store.ts. Each test has its own pets. */
export function describePetsStore(name: string, layer: Layer): void {
  describe(`pets in ${name}`, () => {
    let mongo: MongoPets;
    let store: PetsStore;
    beforeEach(async () => {
      mongo = await mongoPets();
      store = layer(mongo.store);
    });
    afterEach(() => mongo.close());

    const make = (count: number) => store.insertMany(Array.from({ length: count }, (_, i) => newPet(i)));

    test('a list is ordered by id, whatever order the pets were added in, below zero and past 2^53', async () => {
      for (const id of [7n, ...[...FAR_IDS].reverse(), -3n]) await store.insert(petOf(id));
      const { pets, hasMore } = await store.list({ limit: 10 });
      expect(pets).toEqual([...FAR_IDS, 7n, -3n].map((id) => petOf(id)).sort(byId));
      expect(hasMore).toBe(false);
    });

    test('hasMore is exact for every limit, alone and when all are asked at once', async () => {
      const made = await make(9);
      const limits = [1, 3, 8, 9, 10, 8, 100, 1];
      const expected = limits.map((limit) => ({ pets: made.slice(0, limit), hasMore: limit < 9 }));
      for (const [i, limit] of limits.entries()) expect(await store.list({ limit })).toEqual(expected[i]);
      expect(await Promise.all(limits.map((limit) => store.list({ limit })))).toEqual(expected);
    });

    test('lists of every status and place, asked at once, each get their own page', async () => {
      const made = await make(30);
      const queries = [undefined, ...STATUSES].flatMap((status) =>
        [undefined, made[0], made[14], made[29]].flatMap((after) =>
          [2, 5, 50].map((limit) => ({
            limit,
            ...(status !== undefined && { status }),
            ...(after !== undefined && { afterId: after.id }),
          })),
        ),
      );
      const pages = await Promise.all([...queries, ...queries].map((query) => store.list(query)));
      for (const [i, { limit, status, afterId }] of [...queries, ...queries].entries()) {
        const matching = made.filter(
          (pet) => (status === undefined || pet.status === status) && pet.id > (afterId ?? INT64_MIN),
        );
        expect(pages[i]).toEqual({ pets: matching.slice(0, limit), hasMore: matching.length > limit });
      }
    });

    test('following the last id gives every pet once', async () => {
      const made = await make(25);
      const seen: Pet[] = [];
      for (let hasMore = true; hasMore;) {
        const last = seen.at(-1);
        const page = await store.list({ limit: 4, ...(last !== undefined && { afterId: last.id }) });
        seen.push(...page.pets);
        ({ hasMore } = page);
      }
      expect(seen).toEqual(made);
    });

    test('get tells ids apart that a JavaScript number cannot', async () => {
      await Promise.all(FAR_IDS.map((id) => store.insert(petOf(id))));
      const asked = [...FAR_IDS, 9007199254740992n, INT64_MAX - 1n];
      const found = await Promise.all(asked.map((id) => store.get(id)));
      expect(found).toEqual([...FAR_IDS.map((id) => petOf(id)), undefined, undefined]);
    });

    test('getMany keeps the order asked for, with repetitions and gaps, past what one batch of the driver holds', async () => {
      const made = await make(700);
      const asked = [...made.map(({ id }) => id).reverse(), 0n, INT64_MAX, made[5]?.id ?? 0n];
      const expected = [...[...made].reverse(), undefined, undefined, made[5]];
      expect(await store.getMany(asked)).toEqual(expected);
      const [whole, few, none] = await Promise.all([
        store.getMany(asked),
        store.getMany(asked.slice(-2)),
        store.getMany([]),
      ]);
      expect([whole, few, none]).toEqual([expected, expected.slice(-2), []]);
    });

    test('what was inserted is as it was given: any characters, any int64', async () => {
      const pet: Pet = {
        id: 5n,
        name: ' 🐕‍🦺\u0001é "$where" ',
        categoryId: INT64_MIN,
        status: 'pending',
        projectId: 'proj_1',
        externalId: ' A-1é',
        createdAt: new Date('2029-06-15T12:00:00.001Z'),
      };
      await store.insert(pet);
      expect(await store.get(5n)).toEqual(pet);
    });

    test('an id that is taken: insert fails, insertOnce does not, and the pet stays as it is', async () => {
      await store.insert(petOf(1n, 'first'));
      await expect(store.insert(petOf(1n, 'second'))).rejects.toThrow(PetExists);
      await expect(store.insertOnce(petOf(1n, 'third'))).resolves.toBeUndefined();
      expect(await store.get(1n)).toEqual(petOf(1n, 'first'));
    });

    test('of inserts at once only those fail whose id is taken', async () => {
      await store.insert(petOf(50n, 'first'));
      const ids = Array.from({ length: 100 }, (_, i) => BigInt(i + 1));
      const outcomes = await Promise.allSettled(ids.map((id) => store.insert(petOf(id, 'later'))));
      const failed = outcomes.flatMap((outcome, i) => (outcome.status === 'rejected' ? [ids[i]] : []));
      expect(failed).toEqual([50n]);
      expect(await store.getMany(ids)).toEqual(ids.map((id) => petOf(id, id === 50n ? 'first' : 'later')));
    });

    test('one id inserted many times at once: one pet, one insert that worked, and every insertOnce', async () => {
      const inserts = ['a', 'b', 'c', 'd', 'e'].map((text) => store.insert(petOf(1n, text)));
      const once = ['f', 'g', 'h'].map((text) => store.insertOnce(petOf(2n, text)));
      const outcomes = await Promise.allSettled(inserts);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      await expect(Promise.all(once)).resolves.toHaveLength(3);
      expect((await store.list({ limit: 10 })).pets.map(({ id }) => id)).toEqual([1n, 2n]);
    });

    test('ids that were set aside are given to nobody; fewer than were given out already change nothing', async () => {
      const given = await store.reserveId();
      expect(await store.setIdsAside(given + 100n)).toBe(given);
      expect(await store.reserveIds(2)).toBe(given + 101n);
      expect(await store.setIdsAside(5n)).toBe(given + 102n);
      expect(await store.reserveIds(1)).toBe(given + 103n);
    });

    test('a pet of no project has neither a project nor an external id in the database', async () => {
      await store.insertMany([newPet(0)]);
      await store.insert(petOf(77n));
      const fields = (await mongo.connection.collection('pets').find().toArray()).map(Object.keys);
      const named = ['_id', 'name', 'categoryId', 'status', 'createdAt', 'search'];
      expect(fields).toEqual([named, named]);
    });

    test("a project's own number is unique in the project", async () => {
      const numbered = (id: bigint, projectId: string, externalId?: string) => ({
        ...petOf(id),
        projectId,
        externalId,
      });
      await store.insert(numbered(1n, 'proj_1', 'A'));
      await store.insert(numbered(2n, 'proj_2', 'A'));
      await store.insert(numbered(3n, 'proj_1'));
      await store.insert(numbered(4n, 'proj_1'));
      await expect(store.insert(numbered(5n, 'proj_1', 'A'))).rejects.toThrow(ExternalIdTaken);
      await expect(store.insertOnce(numbered(5n, 'proj_1', 'A'))).rejects.toThrow(ExternalIdTaken);
      await expect(store.insert(numbered(1n, 'proj_1', 'B'))).rejects.toThrow(PetExists);
      expect(await store.get(5n)).toBeUndefined();
    });

    test('insertEach tells of each pet what became of it', async () => {
      await store.insert(petOf(2n, 'first'));
      const outcomes = await store.insertEach([1n, 2n, 3n, 3n].map((id) => petOf(id)));
      expect(outcomes).toEqual([undefined, expect.any(PetExists), undefined, expect.any(PetExists)]);
      expect(await store.getMany([1n, 2n, 3n])).toEqual([petOf(1n), petOf(2n, 'first'), petOf(3n)]);
    });

    describe('a change', () => {
      const pet = { ...petOf(7n), projectId: 'proj_1', externalId: 'A' };
      beforeEach(async () => {
        await store.insert(pet);
        await store.insert(petOf(8n));
      });

      test('names the fields that change; the others stay, and it gives the pet as it was', async () => {
        expect(await store.update(7n, { status: 'pending' }, {})).toEqual({ isDone: true, pet });
        expect(await store.get(7n)).toEqual({ ...pet, status: 'pending' });
        const all = { name: 'Luna', categoryId: INT64_MAX, status: 'available' } as const;
        expect(await store.update(7n, all, {})).toMatchObject({ isDone: true });
        expect(await store.getMany([7n, 8n])).toEqual([{ ...pet, ...all }, petOf(8n)]);
      });

      test.each<[string, PetCondition]>([
        ['another project', { projectId: 'proj_2' }],
        ['another status', { ifPet: { status: 'pending' } }],
        ['another name', { ifPet: { name: 'Luna', status: 'sold' } }],
        ['another category', { projectId: 'proj_1', ifPet: { categoryId: INT64_MIN } }],
        ['whatever a function rejects', { ifMatch: ({ id }) => id !== 7n }],
      ])('requires %s: nothing changes, and it gives the pet as it is', async (_, condition) => {
        expect(await store.update(7n, { name: 'Luna' }, condition)).toEqual({ isDone: false, pet });
        expect(await store.remove(7n, condition)).toEqual({ isDone: false, pet });
        expect(await store.get(7n)).toEqual(pet);
      });

      test.each<[string, PetCondition]>([
        ['its project', { projectId: 'proj_1' }],
        ['its fields', { ifPet: { name: 'pet 7', categoryId: 7n, status: 'sold' } }],
        ['a function that accepts it', { projectId: 'proj_1', ifMatch: ({ name }) => name === 'pet 7' }],
      ])('requires %s: it is done, and so is a removal', async (_, condition) => {
        expect(await store.update(7n, { name: 'pet 7' }, condition)).toEqual({ isDone: true, pet });
        expect(await store.remove(7n, condition)).toEqual({ isDone: true, pet });
        expect(await store.getMany([7n, 8n])).toEqual([undefined, petOf(8n)]);
      });

      test('of a pet that does not exist is not done', async () => {
        for (const condition of [{}, { ifMatch: () => true }, { projectId: 'proj_1' }]) {
          expect(await store.update(9n, { name: 'Luna' }, condition)).toEqual({ isDone: false });
          expect(await store.remove(9n, condition)).toEqual({ isDone: false });
        }
        expect(await store.get(9n)).toBeUndefined();
      });

      test('of a pet of no project is done without a project, and not with one', async () => {
        expect(await store.remove(8n, { projectId: 'proj_1' })).toEqual({ isDone: false, pet: petOf(8n) });
        expect(await store.remove(8n, {})).toEqual({ isDone: true, pet: petOf(8n) });
      });

      test('of many at once that require the same status, one is done: two processes', async () => {
        await store.update(7n, { status: 'available' }, {});
        const processes = [store, layer(await mongo.another())];
        const condition: PetCondition[] = [
          { ifPet: { status: 'available' } },
          { ifMatch: ({ status }) => status === 'available' },
        ];
        const outcomes = await Promise.all(
          Array.from({ length: 40 }, async (_, i) =>
            processes[i % 2]?.update(
              7n,
              { status: 'pending', name: `by ${i}` },
              condition[(i >> 1) % 2] ?? {},
            ),
          ),
        );
        const done = outcomes.flatMap((outcome, i) => (outcome?.isDone === true ? [i] : []));
        expect(done).toHaveLength(1);
        const name = `by ${done[0]}`;
        expect(await store.get(7n)).toEqual({ ...pet, status: 'pending', name });
        for (const [i, outcome] of outcomes.entries())
          if (i !== done[0]) expect(outcome?.pet).toEqual({ ...pet, status: 'pending', name });
      });

      test('of many at once says of each whether it was done: two processes count up in the names of three pets', async () => {
        const ids = [7n, 8n, 9n];
        await store.insert(petOf(9n));
        for (const id of ids) await store.update(id, { name: '0' }, {});
        const processes = [store, layer(await mongo.another())];
        const done = new Map(ids.map((id) => [id, 0]));
        async function countUp(process: PetsStore | undefined, id: bigint): Promise<void> {
          for (let i = 0; i < 10; i++) {
            const name = (await store.get(id))?.name ?? '';
            const next = String(Number(name) + 1);
            const outcome = await process?.update(id, { name: next }, { ifPet: { name } });
            if (outcome?.isDone === true) done.set(id, (done.get(id) ?? 0) + 1);
            else expect(outcome?.pet?.name).not.toBe(name);
          }
        }
        const all = ids.flatMap((id) => Array.from({ length: 8 }, (_, i) => countUp(processes[i % 2], id)));
        await Promise.all(all);
        for (const id of ids) expect((await store.get(id))?.name).toBe(String(done.get(id)));
      });

      test('of many in one call is as if they were made one after the other', async () => {
        const made = { ...pet, status: 'available' } as const;
        const outcomes = await store.updateEach([
          { id: 7n, changes: { status: 'available' }, condition: { ifPet: { status: 'sold' } } },
          { id: 7n, changes: { name: 'not made' }, condition: { ifPet: { status: 'sold' } } },
          { id: 99n, changes: { name: 'nobody' }, condition: {} },
          { id: 8n, changes: { name: 'not made' }, condition: { projectId: 'proj_1' } },
          { id: 7n, changes: { name: 'Luna' }, condition: { ifPet: { status: 'available' } } },
          { id: 8n, changes: { categoryId: 1n }, condition: {} },
        ]);
        expect(outcomes).toEqual([
          { isDone: true, pet },
          { isDone: false, pet: made },
          { isDone: false },
          { isDone: false, pet: petOf(8n) },
          { isDone: true, pet: made },
          { isDone: true, pet: petOf(8n) },
        ]);
        expect(await store.getMany([7n, 8n])).toEqual([
          { ...made, name: 'Luna' },
          { ...petOf(8n), categoryId: 1n },
        ]);
      });

      test('that the database itself refuses fails alone', async () => {
        await mongo.connection.db?.command({ collMod: 'pets', validator: { name: { $ne: 'refused' } } });
        const outcomes = await Promise.allSettled([
          store.update(7n, { name: 'refused' }, {}),
          store.update(8n, { name: 'Luna' }, {}),
          store.update(99n, { name: 'nobody' }, {}),
        ]);
        expect(outcomes).toEqual([
          { status: 'rejected', reason: expect.objectContaining({ code: 121 }) as unknown },
          { status: 'fulfilled', value: { isDone: true, pet: petOf(8n) } },
          { status: 'fulfilled', value: { isDone: false } },
        ]);
        expect((await store.getMany([7n, 8n])).map((one) => one?.name)).toEqual(['pet 7', 'Luna']);
      });

      test('is in a transaction with all that is in it, or not at all', async () => {
        const cut = transact(mongo.connection, async () => {
          expect(await store.update(7n, { name: 'Luna' }, { ifMatch: () => true })).toMatchObject({
            isDone: true,
          });
          expect(await store.update(7n, { status: 'pending' }, { ifPet: { name: 'Luna' } })).toEqual({
            isDone: true,
            pet: { ...pet, name: 'Luna' },
          });
          expect(await store.remove(8n, {})).toMatchObject({ isDone: true });
          throw new Error('cut');
        });
        await expect(cut).rejects.toThrow('cut');
        expect(await store.getMany([7n, 8n])).toEqual([pet, petOf(8n)]);
      });
    });

    test('a pet that the database itself refuses fails alone', async () => {
      await mongo.connection.db?.command({ collMod: 'pets', validator: { name: { $ne: 'refused' } } });
      const outcomes = await Promise.allSettled(
        ['a', 'b', 'refused', 'c'].map((text, i) => store.insert(petOf(BigInt(i + 1), text))),
      );
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect((await store.list({ limit: 10 })).pets.map((pet) => pet.name)).toEqual(['a', 'b', 'c']);
    });

    test('a reserved id is positive, and given to nobody else: two processes, one by one and at once', async () => {
      const processes = [store, layer(await mongo.another())];
      const ids: bigint[] = [];
      for (let i = 0; i < 10; i++) ids.push((await processes[i % 2]?.reserveId()) ?? 0n);
      ids.push(
        ...(await Promise.all(processes.flatMap((one) => Array.from({ length: 60 }, () => one.reserveId())))),
      );
      ids.push(...(await make(5)).map(({ id }) => id));
      const first = await store.reserveIds(3);
      ids.push(first, first + 1n, first + 2n, await store.reserveId());
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.every((id) => id > 0n)).toBe(true);
    });
  });
}
