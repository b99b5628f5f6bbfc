import type { Connection, mongo } from 'mongoose';
import type { KeyChange } from '../features/keys/api-keys-store.js';
import { API_KEYS_COLLECTION } from '../features/keys/mongo-api-key-document.js';
import { DOMAINS_COLLECTION } from '../features/publishing/domains/mongo-domains-store.js';
import { PROJECTS_COLLECTION } from '../features/projects/mongo-projects-store.js';

export interface ChangeFeedHandlers {
  onChange: (change: KeyChange) => void;
  onDomain: (domainId: string) => void;
  /** The stream started or restarted. Changes before this call may have been missed. */
  onBegin: () => void;
  onError: (error: unknown) => void;
}

export interface ChangeFeed {
  /**
   * Whether the handlers have received every change made elsewhere up to two seconds ago. If not, changes may take
   * effect only when cached keys expire.
   */
  healthy(): boolean;
  close(): Promise<void>;
}

const RESTART_MS = 1000;
/** How long the server waits for a change before it returns none, milliseconds. */
const ANSWER_MS = 500;
const MAX_LAG_MS = 2000;
/** How long a reading of MongoDB's clock is used before the clock is read again, milliseconds. */
const CLOCK_READ_MS = 10_000;

interface ChangeEvent {
  ns?: { coll: string };
  documentKey?: { _id: string };
  /** When the change was written, on MongoDB's clock; present from MongoDB 6.0 on. */
  wallTime?: Date;
  /** The same time in whole seconds. */
  clusterTime?: mongo.Timestamp;
}

/**
 * Reports each change of a key, project or domain that affects requests, made by any process. Restarts the stream one
 * second after an error.
 */
export function followChanges(connection: Connection, handlers: ChangeFeedHandlers): ChangeFeed {
  // Uses of keys are written constantly and do not raise `revision`: the filter drops them on the server.
  const relevant = {
    'ns.coll': { $in: [API_KEYS_COLLECTION, PROJECTS_COLLECTION, DOMAINS_COLLECTION] },
    $or: [
      { operationType: { $in: ['insert', 'replace', 'delete'] } },
      { 'updateDescription.updatedFields.revision': { $exists: true } },
    ],
  };
  let closed = false;
  let healthy = false;
  /** All changes written before this time have been reported. On performance.now(). */
  let caughtUpToMs = 0;
  let serverClock: ServerClock | undefined;
  let restart: NodeJS.Timeout | undefined;
  const open = () =>
    connection
      .getClient()
      .db(connection.name)
      .watch([{ $match: relevant }], { maxAwaitTimeMS: ANSWER_MS });
  let stream: ReturnType<typeof open> | undefined;

  async function follow(): Promise<void> {
    try {
      serverClock = undefined;
      stream = open();
      while (!closed) {
        const askedAtMs = performance.now();
        const event = (await stream.tryNext()) as ChangeEvent | null;
        // For example after the database was dropped: a closed stream would return null at once, forever.
        if (stream.closed) throw new Error('MongoDB has ended the change stream');
        // The first response proves that the stream is open. From here on, no change is missed.
        if (!healthy) {
          healthy = true;
          handlers.onBegin();
        }
        if (event !== null) tell(event);
        // A null result held when the request was sent, or later. An event may have waited a long time to be read, so
        // use its write time.
        caughtUpToMs = event === null ? askedAtMs : await writtenAtMs(event);
      }
    } catch (error) {
      healthy = false;
      if (closed) return;
      handlers.onError(error);
      await stream?.close().catch(() => undefined);
      restart = setTimeout(() => void follow(), RESTART_MS);
      restart.unref();
    }
  }

  /** On performance.now(). May be too early, never too late. */
  async function writtenAtMs({ wallTime, clusterTime }: ChangeEvent): Promise<number> {
    if (serverClock === undefined || performance.now() - serverClock.readAtMs > CLOCK_READ_MS)
      serverClock = await readServerClock(connection);
    const writtenAt = wallTime ?? (clusterTime && new Date(clusterTime.t * 1000));
    return writtenAt === undefined ? -Infinity : serverClock.momentOf(writtenAt);
  }

  function tell({ ns, documentKey }: ChangeEvent): void {
    if (documentKey === undefined) return;
    const { _id: id } = documentKey;
    if (ns?.coll === DOMAINS_COLLECTION) handlers.onDomain(id);
    else handlers.onChange(ns?.coll === PROJECTS_COLLECTION ? { projectId: id } : { keyId: id });
  }

  void follow();
  return {
    healthy: () => healthy && performance.now() - caughtUpToMs < MAX_LAG_MS,
    async close() {
      closed = true;
      healthy = false;
      clearTimeout(restart);
      await stream?.close().catch(() => undefined);
    },
  };
}

/** Relates MongoDB's clock to this process's monotonic clock, which clock adjustments do not affect. */
export interface ServerClock {
  /**
   * Converts a time on MongoDB's clock to performance.now(). The result is early by the time that the request for the
   * clock took to reach MongoDB, and never late.
   */
  momentOf(serverTime: Date): number;
  readAtMs: number;
}

/** Does not use the system clock of this host, which may be wrong or may be adjusted. */
async function readServerClock(connection: Connection): Promise<ServerClock> {
  const readAtMs = performance.now();
  const { localTime } = await connection.getClient().db('admin').command({ hello: 1 });
  const serverMs = (localTime as Date).getTime();
  return { readAtMs, momentOf: (serverTime) => readAtMs + (serverTime.getTime() - serverMs) };
}
