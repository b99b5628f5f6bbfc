import { setTimeout as sleep } from 'node:timers/promises';
import type { mongo } from 'mongoose';

/** A way for processes to follow the changes of keys. */
export interface Design {
  name: string;
  /** Starts this many followers. Resolves once all of them follow, with a function that ends them. */
  start: (db: mongo.Db, followers: number) => Promise<() => Promise<void>>;
}

const ANSWER_MS = 500;
const NOTICES = 'notices';
/** Notices are a few hundred bytes each. */
const NOTICES_BYTES = 262_144;
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

const openStream = (db: mongo.Db) => follow(db.watch(RELEVANT, { maxAwaitTimeMS: ANSWER_MS }));

export const NOBODY: Design = {
  name: 'nobody follows',
  start: () => Promise.resolve(() => Promise.resolve()),
};

/** Each process has a change stream of its own. */
const STREAMS: Design = {
  name: 'a change stream each',
  async start(db, followers) {
    const ends = await Promise.all(Array.from({ length: followers }, () => openStream(db)));
    return () => together(ends);
  },
};

/** One process has a change stream, and writes what it learns to a capped collection, which all processes follow. */
const NOTICED: Design = {
  name: 'one change stream, a capped collection for all',
  async start(db, followers) {
    await db.dropCollection(NOTICES).catch(() => false);
    const notices = await db.createCollection(NOTICES, { capped: true, size: NOTICES_BYTES });
    await notices.insertOne({ at: new Date() });
    const stream = db.watch(RELEVANT, { maxAwaitTimeMS: ANSWER_MS });
    const ended = new AbortController();
    await stream.tryNext();
    const publishing = (async () => {
      while (!ended.signal.aborted) {
        const event = await stream.tryNext();
        await notices.insertOne({ at: new Date(), changed: event !== null });
      }
    })().catch((error: unknown) => {
      if (!ended.signal.aborted) throw error;
    });
    const ends = await Promise.all(
      Array.from({ length: followers }, () =>
        follow(notices.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: ANSWER_MS })),
      ),
    );
    return async () => {
      ended.abort();
      await together(ends);
      await stream.close();
      await publishing;
    };
  },
};

/** Writers add to a small collection in their transaction, and each process asks it for what is new. */
const POLLED: Design = {
  name: `a query every ${POLL_MS} ms each`,
  async start(db, followers) {
    const notices = db.collection<{ _id: number }>('polled');
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
