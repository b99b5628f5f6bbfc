import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, mongo } from 'mongoose';
import { followChanges } from '../../src/features/system/mongo-change-feed.js';
import { until } from '../../test/support/until.js';

/** A way for processes to follow the changes of keys. */
export interface Design {
  name: string;
  /** Starts this many followers. Resolves once all of them follow, with a function that ends them. */
  start: (connection: Connection, followers: number) => Promise<() => Promise<void>>;
}

const ANSWER_MS = 500;
const POLL_MS = 250;

/** Keeps keys, and drops pets and uses of keys, on the server. */
const RELEVANT = [
  {
    $match: {
      'ns.coll': { $in: ['apiKeys', 'projects', 'domains'] },
      $or: [
        { operationType: { $in: ['insert', 'replace', 'delete'] } },
        { 'updateDescription.updatedFields.revision': { $exists: true } },
      ],
    },
  },
];

/** Reads until the cursor is closed. Resolves after the first answer, which proves that the cursor is open. */
async function follow(cursor: {
  tryNext: () => Promise<unknown>;
  close: () => Promise<unknown>;
}): Promise<() => Promise<void>> {
  const ended = new AbortController();
  await cursor.tryNext();
  const reading = (async () => {
    while (!ended.signal.aborted) await cursor.tryNext();
  })().catch((error: unknown) => {
    if (!ended.signal.aborted) throw error;
  });
  return async () => {
    ended.abort();
    await cursor.close();
    await reading;
  };
}

async function together(ends: readonly (() => Promise<void>)[]): Promise<void> {
  await Promise.all(ends.map((end) => end()));
}

const dbOf = (connection: Connection) => connection.getClient().db(connection.name);

const openStream = (db: mongo.Db) => follow(db.watch(RELEVANT, { maxAwaitTimeMS: ANSWER_MS }));

export const NOBODY: Design = {
  name: 'nobody follows',
  start: () => Promise.resolve(() => Promise.resolve()),
};

/** Each process has a change stream of its own. */
const STREAMS: Design = {
  name: 'a change stream each',
  async start(connection, followers) {
    const db = dbOf(connection);
    const ends = await Promise.all(Array.from({ length: followers }, () => openStream(db)));
    return () => together(ends);
  },
};

/** The gateway's: one process has a change stream, and writes what it learns to a capped collection for all. */
const NOTICED: Design = {
  name: 'one change stream, a capped collection for all',
  async start(connection, followers) {
    const ignored = () => undefined;
    const feeds = Array.from({ length: followers }, () =>
      followChanges(connection, { onChange: ignored, onBegin: ignored, onError: ignored }),
    );
    await until('all to hear', () => Promise.resolve(feeds.every((feed) => feed.healthy())));
    return () => together(feeds.map((feed) => () => feed.close()));
  },
};

/** Writers add to a small collection in their transaction, and each process asks it for what is new. */
const POLLED: Design = {
  name: `a query every ${POLL_MS} ms each`,
  async start(connection, followers) {
    const notices = dbOf(connection).collection<{ _id: number }>('polled');
    await notices.updateOne({ _id: 1 }, { $set: { at: new Date() } }, { upsert: true });
    const ended = new AbortController();
    const polling = Array.from({ length: followers }, async (_, i) => {
      await sleep((i * POLL_MS) / followers);
      while (!ended.signal.aborted) {
        await notices.find({ _id: { $gt: 1 } }).toArray();
        await sleep(POLL_MS);
      }
    });
    return async () => {
      ended.abort();
      await Promise.all(polling);
    };
  },
};

export const DESIGNS: readonly Design[] = [STREAMS, NOTICED, POLLED];
