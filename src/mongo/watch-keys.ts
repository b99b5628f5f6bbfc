import type { Connection } from 'mongoose';
import type { KeyChange } from '../api-keys/api-keys-store.js';
import { API_KEYS_COLLECTION } from '../api-keys/mongo-api-key-document.js';
import { DOMAINS_COLLECTION } from '../domains/mongo-domains-store.js';
import { PROJECTS_COLLECTION } from '../projects/mongo-projects-store.js';

export interface KeyWatchHandlers {
  onChange: (change: KeyChange) => void;
  onDomain: (domainId: string) => void;
  /** The stream began or began anew: changes before it may have been missed. */
  onBegin: () => void;
  onError: (error: unknown) => void;
}

export interface KeyWatch {
  /**
   * Whether changes elsewhere are heard of, less than two seconds after they are made; otherwise they are seen when
   * cached keys expire.
   */
  healthy(): boolean;
  close(): Promise<void>;
}

const RESTART_MS = 1000;
/** How long the server waits for a change before it answers that there is none. */
const ANSWER_MS = 500;
/** A stream that was silent for longer may have changes to tell. */
const SILENCE_MS = 2000;

interface ChangeEvent {
  ns?: { coll: string };
  documentKey?: { _id: string };
}

/** Hears of each change of a key, a project or a domain that a request depends on, from whichever process made it. */
export function watchKeys(connection: Connection, handlers: KeyWatchHandlers): KeyWatch {
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
  let answeredAtMs = 0;
  let restart: NodeJS.Timeout | undefined;
  const open = () =>
    connection
      .getClient()
      .db(connection.name)
      .watch([{ $match: relevant }], { maxAwaitTimeMS: ANSWER_MS });
  let stream: ReturnType<typeof open> | undefined;

  async function follow(): Promise<void> {
    try {
      stream = open();
      // The first answer proves that the stream stands; only then is nothing missed any more.
      for (let event = await stream.tryNext(); !closed; event = await stream.tryNext()) {
        // As after a drop of the database: it would answer that there is nothing, at once and for ever.
        if (stream.closed) throw new Error('MongoDB has ended the change stream');
        answeredAtMs = performance.now();
        if (!healthy) {
          healthy = true;
          handlers.onBegin();
        }
        if (event !== null) tell(event as ChangeEvent);
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

  function tell({ ns, documentKey }: ChangeEvent): void {
    if (documentKey === undefined) return;
    const { _id: id } = documentKey;
    if (ns?.coll === DOMAINS_COLLECTION) handlers.onDomain(id);
    else handlers.onChange(ns?.coll === PROJECTS_COLLECTION ? { projectId: id } : { keyId: id });
  }

  void follow();
  return {
    healthy: () => healthy && performance.now() - answeredAtMs < SILENCE_MS,
    async close() {
      closed = true;
      healthy = false;
      clearTimeout(restart);
      await stream?.close().catch(() => undefined);
    },
  };
}
