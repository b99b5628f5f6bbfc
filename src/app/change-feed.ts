import type { Connection, mongo } from 'mongoose';
import type { KeyChange } from '../features/keys/api-keys-store.js';
import { API_KEYS_COLLECTION } from '../features/keys/mongo-api-key-document.js';
import { DOMAINS_COLLECTION } from '../features/publishing/domains/mongo-domains-store.js';
import { PROJECTS_COLLECTION } from '../features/projects/mongo-projects-store.js';
import { readServerClock, type ServerClock } from '../platform/mongo/server-clock.js';

export interface ChangeFeedHandlers {
  onChange: (change: KeyChange) => void;
  onDomain: (domainId: string) => void;
  /** The stream began or began anew: changes before it may have been missed. */
  onBegin: () => void;
  onError: (error: unknown) => void;
}

export interface ChangeFeed {
  /**
   * Whether every change that was made elsewhere until two seconds ago has been told. Otherwise changes are seen when
   * cached keys expire.
   */
  healthy(): boolean;
  close(): Promise<void>;
}

const RESTART_MS = 1000;
/** How long the server waits for a change before it answers that there is none. */
const ANSWER_MS = 500;
const MAX_LAG_MS = 2000;
/** How long MongoDB's clock is taken to go on as it was read. */
const CLOCK_READ_MS = 10_000;

interface ChangeEvent {
  ns?: { coll: string };
  documentKey?: { _id: string };
  /** When it was written, by MongoDB's clock; from MongoDB 6.0 on. */
  wallTime?: Date;
  /** The same in whole seconds. */
  clusterTime?: mongo.Timestamp;
}

/** Hears of each change of a key, a project or a domain that a request depends on, from whichever process made it. */
export function followChanges(connection: Connection, handlers: ChangeFeedHandlers): ChangeFeed {
  // Uses of keys are written all the time and raise no revision: they stay in the server.
  const relevant = {
    'ns.coll': { $in: [API_KEYS_COLLECTION, PROJECTS_COLLECTION, DOMAINS_COLLECTION] },
    $or: [
      { operationType: { $in: ['insert', 'replace', 'delete'] } },
      { 'updateDescription.updatedFields.revision': { $exists: true } },
    ],
  };
  let closed = false;
  let healthy = false;
  /** All that was written before has been told. On performance.now(). */
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
        // As after a drop of the database: it would answer that there is nothing, at once and for ever.
        if (stream.closed) throw new Error('MongoDB has ended the change stream');
        // The first answer proves that the stream stands; only then is nothing missed any more.
        if (!healthy) {
          healthy = true;
          handlers.onBegin();
        }
        if (event !== null) tell(event);
        // That there is nothing was true when we asked, or after it; an event may have waited long to be read.
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

  /** On performance.now(); rather too early than too late. */
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
