import type { Connection } from 'mongoose';
import { createPieces } from '../../lib/pieces.js';
import { randomBase62 } from '../../lib/random-id.js';
import { withTimeout } from '../../lib/with-timeout.js';
import { createServerClock } from '../../platform/mongo/server-clock.js';
import { followWaitMs } from './follow-wait.js';
import {
  createChangeNotices,
  type Notice,
  type NoticedChange,
  type Position,
} from './mongo-change-notices.js';
import { startPublisher, type ChangePublisher } from './mongo-change-publisher.js';

export interface ChangeFeedHandlers {
  /** Called in pieces that hold the event loop for a few milliseconds, so it should take a fixed time. */
  onChange: (change: NoticedChange) => void;
  /** The feed started or restarted. Changes before this call may have been missed. */
  onBegin: () => void;
  onError: (error: unknown) => void;
}

export interface ChangeFeed {
  /**
   * Whether the handlers have received every change made elsewhere up to two seconds ago. If not, changes may take
   * effect only when cached keys expire.
   */
  healthy(): boolean;
  /** The handlers have received every change made before this moment, on performance.now(). */
  heardUpToMs(): number;
  close(): Promise<void>;
}

const RESTART_MS = 1000;
const MAX_LAG_MS = 2000;
/** A publisher that is silent for this long is taken for dead, milliseconds. It is three times its interval. */
const SILENCE_MS = 1500;
/** Keeps processes from taking over at the same time, milliseconds. */
const SPREAD_MS = 250;
/** How long a publisher assumes that a process follows after it has said so, milliseconds. */
const FOLLOWED_MS = 60_000;
/** To continue from an older position in the change stream costs too much to read. */
const MAX_TOKEN_AGE_MS = 60_000;
/** How long a process that ends waits to say so, milliseconds. */
const END_MS = 500;

/**
 * Reports each change of a key, project or domain that affects requests, made by any process or by an operator.
 *
 * One process of all, the publisher, reads MongoDB's change stream, which costs MongoDB a look at every write. It writes
 * what it learns to a small collection that all processes follow. Processes agree on the publisher by that collection:
 * one that hears no publisher says that it publishes, and of two, the one with the lower id stays. Until it knows, both
 * publish, and a change is reported twice. A new publisher continues where the last notice ended, so no change is lost.
 *
 * Restarts one second after an error.
 */
export function followChanges(connection: Connection, handlers: ChangeFeedHandlers): ChangeFeed {
  const id = randomBase62(12);
  const notices = createChangeNotices(connection);
  const serverClock = createServerClock(connection);
  let closed = false;
  let open: ReturnType<typeof notices.open> | undefined;
  let isOpen = false;
  /** It has read the notices that were there when it began. */
  let isCurrent = false;
  let heardUpToMs = -Infinity;
  let restart: NodeJS.Timeout | undefined;
  /** This process's own publisher, if it is the one. */
  let own: ChangePublisher | undefined;
  /** The other process that publishes, as far as this one has heard. */
  let publisher: string | undefined;
  let takeOver: NodeJS.Timeout | undefined;
  let position: { resumeToken: unknown; upToMs: number } | undefined;
  let otherSeenAtMs = -Infinity;
  /** When the next notice that this process follows is due, unless another follower says so before. */
  let saysFollowsAtMs = Infinity;

  const isAlone = () => performance.now() - otherSeenAtMs > FOLLOWED_MS;

  /** Never beyond this moment: for some seconds after a step of MongoDB's clock, moments on it are wrong. */
  function caughtUp(momentMs: number): void {
    heardUpToMs = Math.max(heardUpToMs, Math.min(momentMs, performance.now()));
  }

  /** This process will publish, unless it hears of another publisher before. */
  function publishAfter(ms: number): void {
    clearTimeout(takeOver);
    if (!isCurrent || closed) return;
    takeOver = setTimeout(() => (own ??= publishForAll()), ms + (isAlone() ? 0 : Math.random() * SPREAD_MS));
    takeOver.unref();
  }

  async function follow(): Promise<void> {
    try {
      await notices.prepare();
      // Before the cursor opens, because MongoDB ends a cursor over nothing. Once it is read, all earlier notices are.
      const last = await sayFollows();
      open = notices.open();
      while (!closed) {
        const notice = await open.next();
        // The first response proves that the cursor is open. From here on, no notice is missed.
        if (!isOpen) {
          isOpen = true;
          handlers.onBegin();
        }
        if (notice !== undefined) await hear(notice);
        if (!isCurrent && (notice === undefined || notice._id.equals(last))) {
          isCurrent = true;
          const silentMs = performance.now() - (position?.upToMs ?? -Infinity);
          publishAfter(Math.max(0, SILENCE_MS - silentMs));
        }
        if (own === undefined && performance.now() > saysFollowsAtMs) await sayFollows();
      }
    } catch (error) {
      isOpen = false;
      isCurrent = false;
      clearTimeout(takeOver);
      if (closed) return;
      handlers.onError(error);
      await Promise.all([
        // A stream that is still opening may take long, and ends by itself.
        withTimeout(stopPublishing(), END_MS).catch(() => undefined),
        open?.close().catch(() => undefined),
      ]);
      restart = setTimeout(() => {
        if (!closed) void follow();
      }, RESTART_MS);
      restart.unref();
    }
  }

  function sayFollows() {
    saysFollowsAtMs = performance.now() + followWaitMs();
    return notices.write({ by: id, kind: 'follows' });
  }

  async function hear({ by, kind, changes = [], isGap, position: reached }: Notice): Promise<void> {
    if (by === id) return;
    otherSeenAtMs = performance.now();
    if (kind === 'follows') {
      own?.repeat();
      // A publisher has to know that somebody follows, not who. Each notice is read by all.
      saysFollowsAtMs = performance.now() + followWaitMs();
    }
    if (kind === 'ends' && by === publisher) publishAfter(0);
    if (kind !== 'publishes') return;
    publisher = by;
    publishAfter(SILENCE_MS);
    if (isGap === true) handlers.onBegin();
    // The position counts once all changes before it are applied.
    const endPiece = createPieces();
    for (const change of changes) {
      handlers.onChange(change);
      await endPiece();
    }
    if (reached !== undefined) caughtUp(await arrivedAt(reached));
    // Not waited for: a stream that is opening takes half a second to end.
    if (own !== undefined && by < id) void stopPublishing();
  }

  async function arrivedAt({ upTo, resumeToken }: Position): Promise<number> {
    const upToMs = (await serverClock()).momentOf(upTo);
    position = { resumeToken, upToMs };
    return upToMs;
  }

  function publishForAll(): ChangePublisher {
    const isRecent = position !== undefined && performance.now() - position.upToMs < MAX_TOKEN_AGE_MS;
    return startPublisher(connection, {
      serverClock,
      resumeToken: isRecent ? position?.resumeToken : undefined,
      onChange: handlers.onChange,
      onGap: handlers.onBegin,
      onCaughtUp: caughtUp,
      async publish(publication) {
        await notices.write({ by: id, kind: 'publishes', ...publication });
        if (publication.position !== undefined) await arrivedAt(publication.position);
      },
      isFollowed: () => !isAlone(),
      onError(error) {
        own = undefined;
        // Another process first: maybe only this one cannot read the change stream.
        publishAfter(isAlone() ? RESTART_MS : 2 * SILENCE_MS);
        void sayEnds();
        handlers.onError(error);
      },
    });
  }

  const sayEnds = () => notices.write({ by: id, kind: 'ends' }).catch(() => undefined);

  async function stopPublishing(): Promise<void> {
    const stopping = own;
    own = undefined;
    await stopping?.stop();
  }

  void follow();
  return {
    healthy: () => isOpen && performance.now() - heardUpToMs < MAX_LAG_MS,
    heardUpToMs: () => (isOpen ? heardUpToMs : -Infinity),
    async close() {
      closed = true;
      clearTimeout(restart);
      clearTimeout(takeOver);
      const wasPublishing = own !== undefined;
      await withTimeout(stopPublishing(), END_MS).catch(() => undefined);
      isOpen = false;
      if (wasPublishing) await withTimeout(sayEnds(), END_MS).catch(() => undefined);
      await open?.close().catch(() => undefined);
    },
  };
}
