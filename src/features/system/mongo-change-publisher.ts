import type { Connection, mongo } from 'mongoose';
import { createPieces } from '../../lib/pieces.js';
import { API_KEYS_COLLECTION } from '../keys/mongo-api-key-document.js';
import { PROJECTS_COLLECTION } from '../projects/mongo-projects-store.js';
import { DOMAINS_COLLECTION } from '../publishing/domains/mongo-domains-store.js';
import type { ServerClock } from '../../platform/mongo/server-clock.js';
import type { Notice, NoticedChange, Position } from './mongo-change-notices.js';

/** How long the server waits for a change before it returns none, milliseconds. */
const ANSWER_MS = 500;
/** Limits the size of a notice. */
const CHANGES_AT_ONCE = 1000;

export type Publication = Pick<Notice, 'changes' | 'isGap' | 'position'>;

export interface PublisherParts {
  serverClock: () => Promise<ServerClock>;
  /** Where to continue. Undefined: from now, with a gap. */
  resumeToken: unknown;
  /** Called at once for each change. It should take a fixed time. */
  onChange: (change: NoticedChange) => void;
  /** Called when changes may have been missed. */
  onGap: () => void;
  /** All changes written before this moment, on performance.now(), have been reported. */
  onCaughtUp: (momentMs: number) => void;
  /** Writes a notice; one at a time, in order. */
  publish: (publication: Publication) => Promise<void>;
  /** Whether a notice without changes has readers; the first notices are written anyway. */
  isFollowed: () => boolean;
  /** The publisher has ended, and may not have published all that it reported. */
  onError: (error: unknown) => void;
}

export interface ChangePublisher {
  /** Publishes the position again, for a process that has begun to follow. */
  repeat(): void;
  stop(): Promise<void>;
}

interface ChangeEvent {
  ns?: { coll: string };
  documentKey?: { _id: string };
  /** When the change was written, on MongoDB's clock; present from MongoDB 6.0 on. */
  wallTime?: Date;
  /** The same time in whole seconds. */
  clusterTime?: mongo.Timestamp;
}

const KINDS: Readonly<Record<string, NoticedChange['of']>> = {
  [API_KEYS_COLLECTION]: 'key',
  [PROJECTS_COLLECTION]: 'project',
  [DOMAINS_COLLECTION]: 'domain',
};

// Uses of keys are written constantly and do not raise `revision`: the filter drops them on the server.
const RELEVANT = {
  'ns.coll': { $in: Object.keys(KINDS) },
  $or: [
    { operationType: { $in: ['insert', 'replace', 'delete', 'drop', 'rename'] } },
    { 'updateDescription.updatedFields.revision': { $exists: true } },
  ],
};

/** Reads the change stream of the database, and publishes each change of a key, project or domain. */
export function startPublisher(connection: Connection, parts: PublisherParts): ChangePublisher {
  const { serverClock, onChange, onGap, onCaughtUp, publish, isFollowed, onError } = parts;
  const db = connection.getClient().db(connection.name);
  let stopped = false;
  let stream: mongo.ChangeStream | undefined;
  let isOpen = false;
  /** By kind and id: a record that changes often is published once. */
  let gathered = new Map<string, NoticedChange>();
  let isGap = false;
  let position: Position | undefined;
  let publishing = false;
  let isDue = false;

  const open = (resumeAfter: unknown) =>
    db.watch([{ $match: RELEVANT }], {
      maxAwaitTimeMS: ANSWER_MS,
      // See onTopology.
      readPreference: 'primary',
      ...(resumeAfter !== undefined && { resumeAfter }),
    });

  /** The first response proves that the stream is open: from then on, no change is missed. */
  async function begin(): Promise<mongo.ChangeStream> {
    if (parts.resumeToken !== undefined) {
      stream = open(parts.resumeToken);
      try {
        await read(stream);
        isOpen = true;
        return stream;
      } catch (error) {
        if (stopped) throw error;
        // MongoDB no longer has the changes since then, or the token is of another database.
        await stream.close().catch(() => undefined);
      }
    }
    stream = open(undefined);
    await read(stream);
    isOpen = true;
    if (stopped) return stream;
    isGap = true;
    onGap();
    return stream;
  }

  async function read(from: mongo.ChangeStream): Promise<void> {
    const clock = await serverClock();
    const askedAtMs = performance.now();
    const event = (await from.tryNext()) as ChangeEvent | null;
    if (stopped) return;
    // For example after the database was dropped: a closed stream would return null at once, forever.
    if (from.closed) throw new Error('MongoDB has ended the change stream');
    const { resumeToken } = from;
    if (event === null) {
      // The result held when the request was sent, or later.
      position = { upTo: clock.timeOf(askedAtMs), resumeToken };
      onCaughtUp(askedAtMs);
      return;
    }
    // An event may have waited a long time to be read, so use its write time.
    const upTo = event.wallTime ?? new Date((event.clusterTime?.t ?? 0) * 1000);
    position = { upTo, resumeToken };
    const change = toChange(event);
    if (change === undefined) {
      // A whole collection was dropped or renamed.
      isGap = true;
      onGap();
    } else {
      gathered.set(`${change.of} ${change.id}`, change);
      onChange(change);
    }
    onCaughtUp(clock.momentOf(upTo));
  }

  /** Changes that arrive during a write share the next one. */
  async function publishAll(): Promise<void> {
    isDue = true;
    if (publishing) return;
    publishing = true;
    while (isDue && !stopped) {
      isDue = false;
      const changes = [...gathered.values()];
      gathered = new Map();
      const hadGap = isGap;
      isGap = false;
      // The position counts only once all changes before it are published.
      const reached = position;
      while (changes.length > CHANGES_AT_ONCE) await publish({ changes: changes.splice(0, CHANGES_AT_ONCE) });
      await publish({ changes, isGap: hadGap ? true : undefined, position: reached });
    }
    publishing = false;
  }

  const repeat = () => void publishAll().catch(fail);

  async function run(): Promise<void> {
    try {
      // Without changes: keeps others from opening a change stream too.
      await publishAll();
      const from = await begin();
      repeat();
      const endPiece = createPieces();
      while (!stopped) {
        await read(from);
        // MongoDB returns many changes in one response, and reading each of them waits for nothing.
        await endPiece();
        if (gathered.size > 0 || isGap || isFollowed()) repeat();
      }
    } catch (error) {
      fail(error);
    } finally {
      // Also a stream that opened after `end`.
      await stream?.close().catch(() => undefined);
    }
  }

  /** A stream that is closed while it opens would stay open on MongoDB's side: `run` closes it later. */
  async function end(): Promise<void> {
    stopped = true;
    if (isOpen) await stream?.close().catch(() => undefined);
  }

  function fail(error: unknown): void {
    if (stopped) return;
    void end();
    onError(error);
  }

  /** A member that is no longer the primary keeps the cursor, and has "no changes" for what it has not copied yet. */
  function onTopology({ previousDescription, newDescription }: mongo.TopologyDescriptionChangedEvent): void {
    const primary = primaryOf(previousDescription);
    if (primary !== undefined && primaryOf(newDescription) !== primary)
      fail(new Error(`${primary} is no longer the primary`));
  }

  const client = connection.getClient();
  client.on('topologyDescriptionChanged', onTopology);
  const running = run().finally(() => client.off('topologyDescriptionChanged', onTopology));
  return {
    repeat,
    async stop() {
      await end();
      await running;
    },
  };
}

function primaryOf({ servers }: mongo.TopologyDescription): string | undefined {
  return [...servers.values()].find(({ type }) => type === 'RSPrimary')?.address;
}

function toChange({ ns, documentKey }: ChangeEvent): NoticedChange | undefined {
  const of = ns && KINDS[ns.coll];
  return of === undefined || documentKey === undefined ? undefined : { of, id: documentKey._id };
}
