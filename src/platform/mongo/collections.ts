import { isDeepStrictEqual } from 'node:util';
import { mongo } from 'mongoose';
import { twoAtATime } from '../../lib/two-at-a-time.js';
import { wantedIndex, type CollectionShape, type WantedIndex } from './collection-shape.js';
import {
  hasCode,
  INDEX_BUILD_ABORTED,
  INDEX_KEY_SPECS_CONFLICT,
  INDEX_OPTIONS_CONFLICT,
  isDuplicateKey,
  NAMESPACE_EXISTS,
  UNAUTHORIZED,
} from './error-codes.js';

/** An index differs from the index that this version needs, or cannot be built. */
export class IndexConflict extends Error {
  override readonly name = 'IndexConflict';
}

/** A collection or index that this version needs and the database lacks. */
export type Gap =
  | { kind: 'collection'; collection: string }
  | { kind: 'indexes'; collection: string; indexes: readonly WantedIndex[] }
  /** The index exists, but with another `expireAfterSeconds`. */
  | { kind: 'expiry'; collection: string; index: WantedIndex };

/** A description for logs and error messages. */
export function describeGap(gap: Gap): string {
  if (gap.kind === 'collection') return `collection ${gap.collection}`;
  if (gap.kind === 'expiry') return `expiry of the index ${gap.index.name} of ${gap.collection}`;
  const names = gap.indexes.map(({ name }) => name);
  return `${names.length === 1 ? 'index' : 'indexes'} ${names.join(', ')} of ${gap.collection}`;
}

/** @throws IndexConflict when an index of the same name differs in more than its expiry */
export async function findGaps(db: mongo.Db, shapes: readonly CollectionShape[]): Promise<Gap[]> {
  const found = await db.listCollections({}, { nameOnly: true }).toArray();
  const names = new Set(found.map(({ name }) => name));
  const gaps = await twoAtATime(shapes, async (shape): Promise<Gap[]> => {
    const { name } = shape;
    if (!names.has(name)) return [{ kind: 'collection', collection: name }, ...indexGaps(shape, [])];
    return indexGaps(shape, await db.collection(name).indexes());
  });
  return gaps.flat();
}

function indexGaps(
  { name: collection, indexes }: CollectionShape,
  there: readonly mongo.IndexDescriptionInfo[],
): Gap[] {
  const missing = indexes.filter((index) => !there.some(({ name }) => name === index.name));
  const gaps: Gap[] = missing.length === 0 ? [] : [{ kind: 'indexes', collection, indexes: missing }];
  for (const index of indexes) {
    const found = there.find(({ name }) => name === index.name);
    if (found === undefined) continue;
    const is = toWanted(found);
    if (isSame(is, index)) continue;
    const { expireAfterSeconds } = index;
    const areBothExpiring = is.expireAfterSeconds !== undefined && expireAfterSeconds !== undefined;
    if (!areBothExpiring || !isSame({ ...is, expireAfterSeconds }, index))
      throw otherThan(collection, [index], JSON.stringify(is));
    gaps.push({ kind: 'expiry', collection, index });
  }
  return gaps;
}

/** Compares the order of the key fields, which is part of an index. The order of the options does not matter. */
function isSame(a: WantedIndex, b: WantedIndex): boolean {
  return isDeepStrictEqual(a, b) && isDeepStrictEqual(Object.entries(a.key), Object.entries(b.key));
}

/** Converts a found index for comparison: drops the properties that MongoDB adds, and converts bigint to number. */
function toWanted({ key, expireAfterSeconds, ...options }: mongo.IndexDescriptionInfo): WantedIndex {
  const seconds = expireAfterSeconds as number | bigint | undefined;
  const directions = Object.entries(key).map(([field, direction]) => [field, Number(direction)]);
  return wantedIndex(Object.fromEntries(directions) as WantedIndex['key'], {
    ...(options as Partial<WantedIndex>),
    ...(seconds !== undefined && { expireAfterSeconds: Number(seconds) }),
  });
}

/**
 * Creates the collection, builds the indexes or changes the expiry. Resolves once the change is on the primary. MongoDB
 * serves reads and writes while it builds an index.
 * @throws IndexConflict; driver errors
 */
export async function closeGap(db: mongo.Db, gap: Gap): Promise<void> {
  if (gap.kind === 'collection') return makeCollection(db, gap.collection);
  if (gap.kind === 'indexes') return buildIndexes(db, gap.collection, gap.indexes);
  const { name, expireAfterSeconds } = gap.index;
  const command = { collMod: gap.collection, index: { name, expireAfterSeconds } };
  await db.command(command).catch((error: unknown) => {
    if (!hasCode(error, UNAUTHORIZED)) throw error;
    const words = `The ${describeGap(gap)} must change, which requires the role dbAdmin. Grant it to the user in `;
    throw new IndexConflict(`${words}MONGODB_URI, or run ${JSON.stringify(command)} yourself.`, {
      cause: error,
    });
  });
}

/** Does nothing if the collection exists. */
export async function makeCollection(db: mongo.Db, name: string): Promise<void> {
  await db.createCollection(name).catch((error: unknown) => {
    if (!hasCode(error, NAMESPACE_EXISTS)) throw error;
  });
}

/**
 * Retries after a socket timeout: the driver closes a connection that is silent for longer than any request waits, but
 * MongoDB continues the build. Asking for the same index again waits for that build.
 */
async function buildIndexes(
  db: mongo.Db,
  collection: string,
  indexes: readonly WantedIndex[],
): Promise<void> {
  for (let aborts = 0; ;)
    try {
      await db.collection(collection).createIndexes([...indexes]);
      return;
    } catch (error) {
      if (error instanceof mongo.MongoNetworkTimeoutError) continue;
      if (hasCode(error, INDEX_BUILD_ABORTED) && ++aborts < MAX_ABORTS) continue;
      throw toConflict(error, collection, indexes);
    }
}

const MAX_ABORTS = 5;

function toConflict(error: unknown, collection: string, indexes: readonly WantedIndex[]): unknown {
  const { message } = error as Error;
  if (isDuplicateKey(error))
    return new IndexConflict(`Cannot build a unique index on ${collection}: ${message}`, { cause: error });
  const isOther = hasCode(error, INDEX_OPTIONS_CONFLICT) || hasCode(error, INDEX_KEY_SPECS_CONFLICT);
  return isOther ? otherThan(collection, indexes, message) : error;
}

function otherThan(collection: string, wanted: readonly WantedIndex[], found: string): IndexConflict {
  return new IndexConflict(
    `The collection ${collection} has another index than the one this version needs. Needed: ` +
      `${wanted.map((index) => JSON.stringify(index)).join(', ')}; found: ${found}. Someone created it by hand, or ` +
      'another version did. Drop that index and start again; the gateway rebuilds it.',
  );
}
