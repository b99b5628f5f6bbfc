import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  highestIdIn,
  importPets,
  ImportStopped,
  type ImportParts,
  type ImportRun,
} from '../../../../src/features/pets/import/import-pets.js';
import type { ImportRecord, ImportsStore } from '../../../../src/features/pets/import/imports-store.js';
import type { Rejection } from '../../../../src/features/pets/import/insert-lines.js';
import { createMongoImportsStore } from '../../../../src/features/pets/import/mongo-imports-store.js';
import type { Pet } from '../../../../src/features/pets/pet.js';
import type { PetsStore } from '../../../../src/features/pets/pets-store.js';
import { sha256 } from '../../../../src/lib/sha256.js';
import { mongoPets, type MongoPets } from '../../../support/pets-stores.js';
import { useTemporaryFolder } from '../../../support/temporary-folder.js';
import { withResolvers } from '../../../support/with-resolvers.js';

const folder = useTemporaryFolder();

async function highestOf(...lines: readonly string[]): Promise<bigint> {
  const path = join(folder(), 'pets.ndjson');
  await writeFile(path, lines.join('\n'));
  return highestIdIn(path);
}

const pet = (id: string | number) => `{"id":${id},"name":"A","categoryId":1}`;

test('finds the highest id of a pet, in any order', async () => {
  expect(await highestOf(pet(1), pet(2), pet(30))).toBe(30n);
  expect(await highestOf(pet(30), pet(2), pet(1))).toBe(30n);
  expect(await highestOf(pet(2), pet(30), pet(1))).toBe(30n);
  expect(await highestOf('{"name":"A","categoryId":1}')).toBe(0n);
});

test('to the last digit, where numbers are rounded', async () => {
  expect(await highestOf(pet('9007199254740993'), pet('9007199254740992'))).toBe(9007199254740993n);
  expect(await highestOf(pet('9007199254740992'), pet('9007199254740993'))).toBe(9007199254740993n);
});

test.each([
  '{"\\u0069d":7,"name":"A","categoryId":1}',
  '{"name":"A","id" : 7 ,"categoryId":1}',
  '{"name":"id","categoryId":1,"id":7}',
  '{"name":"A","categoryId":1,"id":7.0}',
  '{"name":"A","categoryId":1,"id":7e0}',
])('however it is written: %s', async (line) => {
  expect(await highestOf(pet(5), line, pet(6))).toBe(7n);
});

test.each([
  '{"id":9,"name":"","categoryId":1}',
  '{"id":9,"id":10,"name":"A","categoryId":1}',
  '{"id":"9","name":"A","categoryId":1}',
  '{"id":9,"name":"A","categoryId":1',
  '{"name":"A","categoryId":1,"more":{"id":9}}',
  pet('99999999999999999999'),
])('ignores a line that is no pet: %s', async (line) => {
  expect(await highestOf(pet(5), line, pet(6))).toBe(6n);
});

describe('an import', () => {
  const NOW = Date.parse('2029-06-15T12:00:00.000Z');
  let mongo: MongoPets;
  let imports: ImportsStore;
  beforeEach(async () => {
    mongo = await mongoPets();
    imports = createMongoImportsStore(mongo.connection, mongo.store);
  });
  afterEach(() => mongo.close());

  async function fileOf(...lines: readonly string[]): Promise<string> {
    const path = join(folder(), 'pets.ndjson');
    await writeFile(path, lines.map((line) => `${line}\n`).join(''));
    return path;
  }

  /** Notes in `events` what a run reports, in order. */
  function run(path: string, overrides: Partial<ImportRun> & { pets?: ImportParts['pets'] } = {}) {
    const { pets = mongo.store, ...callbacks } = overrides;
    const begun: ImportRecord[] = [];
    const rejected: Rejection[] = [];
    const progress: number[] = [];
    let ends = 0;
    const counts = importPets(
      {
        path,
        id: sha256(readFileSync(path)),
        onBegin: (record) => begun.push(record),
        onRejected: (rejections) => rejected.push(...rejections),
        onEnd: () => (ends += 1),
        onProgress: (bytes) => progress.push(bytes),
        signal: new AbortController().signal,
        ...callbacks,
      },
      { pets, imports, clock: () => NOW },
    );
    return { counts, begun, rejected, progress, ends: () => ends };
  }

  const allPets = async () => (await mongo.store.list({ limit: 1000 })).pets;
  const namesOf = (pets: readonly Pet[]) => pets.map(({ name }) => name);
  const recorded = () => mongo.connection.collection('imports').findOne({});
  /** A line of which only 17 fit into one batch. */
  const wide = (name: string) => `{"name":"${name}","categoryId":1${' '.repeat(60_000)}}`;
  const WIDE_PER_BATCH = 17;
  /** This number of batches of wide lines. */
  const wideLines = (batches: number) => {
    const names = Array.from({ length: batches * WIDE_PER_BATCH }, (_, i) => `pet ${i}`);
    return { names, lines: names.map(wide) };
  };
  type Inserts = (
    pets: readonly Pet[],
    insert: PetsStore['insertEach'],
  ) => ReturnType<PetsStore['insertEach']>;
  const insertingWith = (inserts: Inserts): PetsStore => ({
    ...mongo.store,
    insertEach: (pets) => inserts(pets, (given) => mongo.store.insertEach(given)),
  });

  test('adds each pet, lists the other lines, and is recorded as finished', async () => {
    const path = await fileOf(
      pet(7),
      'no JSON',
      '',
      '{"name":"B","categoryId":2,"status":"sold"}',
      '{"name":""}',
    );
    const { counts, begun, rejected, progress, ends } = run(path);
    expect(await counts).toEqual({ imported: 2, unchanged: 0, rejected: 2 });
    expect(await allPets()).toEqual([
      { id: 7n, name: 'A', categoryId: 1n, status: 'available', createdAt: expect.any(Date) as Date },
      { id: 8n, name: 'B', categoryId: 2n, status: 'sold', createdAt: expect.any(Date) as Date },
    ]);
    expect(rejected.map(({ line }) => line)).toEqual([2, 5]);
    expect(begun).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
        run: expect.any(String) as string,
        startedAt: new Date(NOW),
        idsAbove: 0n,
        next: { offset: 0, line: 1 },
        pending: [],
        counts: { imported: 0, unchanged: 0, rejected: 0 },
      },
    ]);
    expect([progress, ends()]).toEqual([[100], 1]);
    expect(await recorded()).toMatchObject({ pending: [], finishedAt: new Date(NOW) });
  });

  test('of a finished file is a conflict that names the date, until the record is deleted', async () => {
    const path = await fileOf('{"name":"A","categoryId":1}');
    const first = run(path);
    await first.counts;
    const second = run(path);
    await expect(second.counts).rejects.toMatchObject({
      code: 'conflict',
      message: 'This file was imported on 2029-06-15T12:00:00.000Z. To add its pets again, use --again.',
    });
    expect(second.begun).toEqual([]);
    await imports.forgetFinished(first.begun[0]?.id ?? '');
    expect(await run(path).counts).toMatchObject({ imported: 1 });
    expect(await allPets()).toHaveLength(2);
  });

  test('keeps the pets that are there, and reserves the ids of the file for its own pets', async () => {
    await mongo.store.reserveIds(10);
    for (const id of [3n, 4n])
      await mongo.store.insert({
        id,
        name: 'A',
        categoryId: 1n,
        status: 'available',
        createdAt: new Date(0),
      });
    const path = await fileOf(
      pet(3),
      '{"id":4,"name":"A","categoryId":2}',
      pet(5),
      pet(20),
      pet(20),
      'x',
      pet(11),
    );
    const { counts, rejected, begun } = run(path);
    expect(await counts).toEqual({ imported: 2, unchanged: 2, rejected: 3 });
    expect(begun[0]?.idsAbove).toBe(10n);
    expect(rejected.slice(0, 2)).toEqual([
      { line: 2, reason: 'id: another pet has the id 4' },
      {
        line: 3,
        reason: 'id: 5 may be reserved for a pet that is being created; omit the id to get a new one',
      },
    ]);
    expect(rejected.map(({ line }) => line)).toEqual([2, 3, 6]);
    expect((await allPets()).map(({ id }) => id)).toEqual([3n, 4n, 11n, 20n]);
    expect(await mongo.store.reserveId()).toBe(21n);
  });

  test('whose insert is not confirmed continues with the same ids: each pet and each rejected line once', async () => {
    const path = await fileOf('{"name":"A","categoryId":1}', pet(9), 'no JSON');
    const lost = run(path, {
      pets: insertingWith(async (pets, insert) => {
        await insert(pets);
        throw new Error('the connection is lost');
      }),
    });
    await expect(lost.counts).rejects.toThrow('the connection is lost');
    expect([lost.rejected, lost.progress, lost.ends()]).toEqual([[], [], 0]);
    await imports.forgetFinished(lost.begun[0]?.id ?? '');
    const again = run(path);
    expect(await again.counts).toEqual({ imported: 1, unchanged: 1, rejected: 1 });
    expect(again.rejected.map(({ line }) => line)).toEqual([3]);
    expect(again.begun[0]?.run).not.toBe(lost.begun[0]?.run);
    expect((await allPets()).map(({ id }) => id)).toEqual([9n, 10n]);
  });

  test('stops at a pet that the database itself rejects', async () => {
    await mongo.connection.db?.command({ collMod: 'pets', validator: { name: { $ne: 'B' } } });
    const path = await fileOf('{"name":"A","categoryId":1}', '{"name":"B","categoryId":1}');
    await expect(run(path).counts).rejects.toThrow('Document failed validation');
  });

  test('inserts three batches at a time while it reads on', async () => {
    const { names, lines } = wideLines(4);
    let [underWay, most] = [0, 0];
    const three = withResolvers<undefined>();
    const { counts, progress } = run(await fileOf(...lines), {
      pets: insertingWith(async (pets, insert) => {
        expect(pets).toHaveLength(WIDE_PER_BATCH);
        underWay += 1;
        most = Math.max(most, underWay);
        if (underWay === 3) three.resolve(undefined);
        await three.promise;
        const outcomes = await insert(pets);
        underWay -= 1;
        return outcomes;
      }),
    });
    expect(await counts).toMatchObject({ imported: names.length });
    expect(most).toBe(3);
    expect(progress).toHaveLength(4);
    expect(namesOf(await allPets())).toEqual(names);
  });

  test('that is stopped ends after the batches that have started, and continues there', async () => {
    const { names, lines } = wideLines(4);
    const path = await fileOf(...lines);
    const stop = new AbortController();
    const first = run(path, { signal: stop.signal, onProgress: () => stop.abort() });
    const stopped: unknown = await first.counts.catch((error: unknown) => error);
    expect(stopped).toBeInstanceOf(ImportStopped);
    const { lines: done, counts, message } = stopped as ImportStopped;
    expect(counts).toEqual({ imported: done, unchanged: 0, rejected: 0 });
    expect(done).toBeLessThan(names.length);
    expect(message).toBe(`The import was stopped after line ${done}.`);
    expect(namesOf(await allPets())).toEqual(names.slice(0, done));
    expect([await recorded(), first.ends()]).toMatchObject([{ next: { line: done + 1 }, pending: [] }, 0]);

    const second = run(path);
    expect(await second.counts).toEqual({ imported: names.length, unchanged: 0, rejected: 0 });
    expect(second.begun[0]).toMatchObject({ next: { line: done + 1 }, counts });
    expect(namesOf(await allPets())).toEqual(names);
  });

  test('that failed and is stopped before it continues says which lines are done', async () => {
    const { names, lines } = wideLines(4);
    const path = await fileOf(...lines);
    let inserts = 0;
    const failed = run(path, {
      pets: insertingWith(async (pets, insert) => {
        inserts += 1;
        if (inserts === 2) throw new Error('the connection is lost');
        return insert(pets);
      }),
    });
    await expect(failed.counts).rejects.toThrow('the connection is lost');

    const stopped: unknown = await run(path, { signal: AbortSignal.abort() }).counts.catch(
      (error: unknown) => error,
    );
    expect(stopped).toBeInstanceOf(ImportStopped);
    // The second batch is not in, whatever became of those after it.
    expect((stopped as ImportStopped).lines).toBeLessThanOrEqual(WIDE_PER_BATCH);
    expect(await run(path).counts).toEqual({ imported: names.length, unchanged: 0, rejected: 0 });
    expect(namesOf(await allPets()).toSorted()).toEqual(names.toSorted());
  });

  test.each([
    ['finishes', 1, undefined],
    ['reads on', 4, undefined],
    ['was stopped', 3, new AbortController()],
  ])('that another process continues is a conflict when it %s', async (_when, batches, stop) => {
    const { names, lines } = wideLines(batches);
    const path = await fileOf(...lines);
    let other: Promise<unknown> | undefined;
    const outrun = run(path, {
      pets: insertingWith(async (pets, insert) => {
        await (other ??= run(path).counts);
        stop?.abort();
        return insert(pets);
      }),
      ...(stop && { signal: stop.signal }),
    });
    await expect(outrun.counts).rejects.toMatchObject({
      code: 'conflict',
      message: 'Another process continued the import of this file.',
    });
    await other;
    expect(namesOf(await allPets()).toSorted()).toEqual(names.toSorted());
  });
});
