import { mkdtemp, rm } from 'node:fs/promises';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo, type Connection } from 'mongoose';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import { startEmbeddedMongod } from '../../src/platform/mongod/embedded-mongod.js';
import { createMongoPetsStore } from '../../src/features/pets/mongo-pets-store.js';
import { PET_STATUSES, type NewPet } from '../../src/features/pets/pet.js';
import type { PetsStore } from '../../src/features/pets/pets-store.js';
import { testMongod } from '../../test/support/mongod.js';
import { prepared } from '../../test/support/prepared.js';
import { parseId } from '../workloads.js';

export interface BenchDatabase {
  pid: number;
  /** The same server with another database for each target. */
  uriOf: (target: string) => string;
  /** Operations that clients asked of it since it began, by MongoDB's own count. */
  operations: () => Promise<number>;
  close: () => Promise<void>;
}

const PETS_PER_INSERT = 10_000;

/**
 * A mongod of the bench's own: a replica set of one, journaled, in a folder that is removed when it ends.
 * @param cacheGb shared by all that is compared; large enough for every database of the bench
 */
export async function startDatabase({ cacheGb = 1 } = {}): Promise<BenchDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pets-gateway-bench-'));
  const removeFolder = () => rm(dataDir, { recursive: true, force: true });
  const mongod = await startEmbeddedMongod({
    dataDir,
    binary: await testMongod(),
    cacheGb,
  }).catch(async (error: unknown) => {
    await removeFolder();
    throw error;
  });
  const client = new mongo.MongoClient(mongod.uri, { runtimeAdapters: { os } });
  const admin = client.db('admin');
  return {
    pid: mongod.pid,
    uriOf(target) {
      const uri = new URL(mongod.uri);
      uri.pathname = `/bench-${target}`;
      return uri.href;
    },
    async operations() {
      const { opcounters } = await admin.command({ serverStatus: 1 });
      return Object.values(opcounters as Record<string, number>).reduce((sum, count) => sum + count, 0);
    },
    async close() {
      await client.close();
      await mongod.stop();
      await removeFolder();
    },
  };
}

export function connect(uri: string): Promise<Connection> {
  return connectMongo({ uri, defaultDatabase: 'unused', databaseSuffix: '', selectionTimeoutMs: 5000 });
}

/**
 * Pets 1 to `count` with the gateway's collection and index, for every contestant.
 * @param ownerOf the project of pet number `i`, from 0; without it, the pets belong to the store itself
 */
export async function fillWithPets(
  uri: string,
  count: number,
  signal?: AbortSignal,
  ownerOf?: (i: number) => string,
): Promise<void> {
  const connection = await connect(uri);
  try {
    const store = createMongoPetsStore(await prepared(connection));
    for (let made = 0; made < count; made += PETS_PER_INSERT) {
      signal?.throwIfAborted();
      const some = newPets(made, Math.min(PETS_PER_INSERT, count - made));
      if (ownerOf === undefined) await store.insertMany(some);
      else await insertOwned(store, some, made, ownerOf);
    }
  } finally {
    await connection.close();
  }
}

async function insertOwned(
  store: PetsStore,
  pets: readonly NewPet[],
  from: number,
  ownerOf: (i: number) => string,
): Promise<void> {
  const first = await store.reserveIds(pets.length);
  const outcomes = await store.insertEach(
    pets.map((pet, i) => ({
      id: first + BigInt(i),
      ...pet,
      projectId: ownerOf(from + i),
      createdAt: new Date(from + i),
    })),
  );
  const failure = outcomes.find((outcome) => outcome !== undefined);
  if (failure !== undefined) throw failure;
}

/** The same pets with the same index as Parse Server keeps them. Its class has to be there already. */
export async function fillWithParsePets(uri: string, count: number): Promise<void> {
  const connection = await connect(uri);
  try {
    const pets = connection.collection('Pet');
    await pets.deleteMany({});
    await pets.createIndexes([{ key: { status: 1, _id: 1 } }]);
    const now = new Date();
    for (let made = 0; made < count; made += PETS_PER_INSERT) {
      const documents = newPets(made, Math.min(PETS_PER_INSERT, count - made)).map(
        ({ name, categoryId, status }, i) => ({
          _id: parseId(made + i + 1) as never,
          name,
          categoryId: Number(categoryId),
          status,
          _created_at: now,
          _updated_at: now,
        }),
      );
      await pets.insertMany(documents);
    }
  } finally {
    await connection.close();
  }
}

function newPets(from: number, count: number): NewPet[] {
  return Array.from({ length: count }, (_, i) => ({
    name: `Pet number ${from + i + 1}`,
    categoryId: BigInt((from + i) % 50),
    status: PET_STATUSES[(from + i) % PET_STATUSES.length] ?? 'available',
  }));
}
