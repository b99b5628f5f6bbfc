import { mongo, type Connection } from 'mongoose';
import { hasCode, NAMESPACE_EXISTS } from '../../platform/mongo/error-codes.js';

/**
 * The collection that all processes follow. It is capped: MongoDB wakes a reader of it only for its own documents,
 * while a change stream reads every write of the database.
 */
export const CHANGES_COLLECTION = 'changes';
const CAPPED_BYTES = 524_288;
/** How long the server waits for a notice before it returns none, milliseconds. */
const ANSWER_MS = 500;

/** A change of a key, project or domain that affects requests. */
export interface NoticedChange {
  of: 'key' | 'project' | 'domain';
  id: string;
}

/** A message to all processes. */
export interface Notice {
  _id: mongo.ObjectId;
  /** The process that wrote the notice. */
  by: string;
  /**
   * `follows`: the process is there, and wants to hear of changes. `publishes`: the process reads the change stream for
   * all, or is about to. `ends`: it no longer does.
   */
  kind: 'follows' | 'publishes' | 'ends';
  /** With `publishes`: */
  changes?: readonly NoticedChange[] | undefined;
  /** Changes before this notice may be missing. */
  isGap?: true | undefined;
  /** Undefined if more notices belong to this one. */
  position?: Position | undefined;
}

/** How far the changes are published. */
export interface Position {
  /** All changes written before this time, on MongoDB's clock, are published. */
  upTo: Date;
  /** Where another process can continue the change stream. */
  resumeToken: unknown;
}

export interface ChangeNotices {
  /** Resolves with the id once the primary has the notice. A change of primary can still lose the notice. */
  write(notice: Omit<Notice, '_id'>): Promise<mongo.ObjectId>;
  /** Makes the collection unless it is there. */
  prepare(): Promise<void>;
  /** Opens a cursor over all notices, oldest first. `undefined` from `next`: none for half a second. */
  open(): { next: () => Promise<Notice | undefined>; close: () => Promise<void> };
}

export function createChangeNotices(connection: Connection): ChangeNotices {
  const db = connection.getClient().db(connection.name);
  const collection = db.collection<Notice>(CHANGES_COLLECTION);

  return {
    async write(notice) {
      const _id = new mongo.ObjectId();
      await collection.insertOne({ _id, ...notice }, { ignoreUndefined: true, writeConcern: { w: 1 } });
      return _id;
    },
    prepare: () => makeCapped(db),
    open() {
      const cursor = collection.find(
        {},
        { tailable: true, awaitData: true, maxAwaitTimeMS: ANSWER_MS, readPreference: 'primary' },
      );
      return {
        async next() {
          const notice = await cursor.tryNext();
          // For example after the database was dropped: a closed cursor would return null at once, forever.
          if (notice === null && cursor.closed) throw new Error('MongoDB has ended the cursor of changes');
          return notice ?? undefined;
        },
        close: () => cursor.close(),
      };
    },
  };
}

/** Replaces a collection that is not capped: a write after the database was dropped has made it. */
async function makeCapped(db: mongo.Db): Promise<void> {
  const [found] = await db.listCollections({ name: CHANGES_COLLECTION }, { nameOnly: false }).toArray();
  if (found?.options?.['capped'] === true) return;
  if (found !== undefined) await db.dropCollection(CHANGES_COLLECTION);
  await db
    .createCollection(CHANGES_COLLECTION, { capped: true, size: CAPPED_BYTES })
    .catch((error: unknown) => {
      if (!hasCode(error, NAMESPACE_EXISTS)) throw error;
    });
}
