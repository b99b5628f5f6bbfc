import type { Connection } from 'mongoose';
import { connect, fillWithPets, type BenchDatabase } from '../targets/database.js';
import { fillWithKeys } from './fill-keys.js';
import { ownerIn, type FilledKeys, type Size } from './sizes.js';

export interface FilledDatabase {
  size: Size;
  uri: string;
  connection: Connection;
  keys: FilledKeys;
  filling: Filling;
}

/** How long it took, and what was in the database then. */
export interface Filling {
  petsSeconds: number;
  keysSeconds: number;
  dataMiB: number;
  indexesMiB: number;
}

const BYTES_PER_MIB = 2 ** 20;

/** A database of its own for the size, all of it written to disk. The connection is the caller's to close. */
export async function fillDatabase(
  database: BenchDatabase,
  size: Size,
  signal: AbortSignal,
): Promise<FilledDatabase> {
  const uri = database.uriOf(`scale-${size.pets}-${size.keys}`);
  const connection = await connect(uri);
  try {
    const keys = await timed(() => fillWithKeys(connection, size.keys, signal));
    const ownerOf = ownerIn(size, keys.result.projectId);
    const pets = await timed(() => fillWithPets(uri, size.pets, signal, ownerOf));
    const client = connection.getClient();
    await client.db('admin').command({ fsync: 1 });
    const stats = await client.db(connection.name).command({ dbStats: 1, scale: BYTES_PER_MIB });
    return {
      ...{ size, uri, connection, keys: keys.result },
      filling: {
        petsSeconds: pets.seconds,
        keysSeconds: keys.seconds,
        dataMiB: Number(stats['dataSize']),
        indexesMiB: Number(stats['indexSize']),
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Of the cache that these databases share. */
export async function cacheUsedMiB([any]: readonly FilledDatabase[]): Promise<number> {
  const status = await any?.connection.getClient().db('admin').command({ serverStatus: 1 });
  const { cache } = status?.['wiredTiger'] as { cache: Record<string, unknown> };
  return Number(cache['bytes currently in the cache']) / BYTES_PER_MIB;
}

async function timed<T>(run: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const begin = performance.now();
  const result = await run();
  return { result, seconds: (performance.now() - begin) / 1000 };
}
