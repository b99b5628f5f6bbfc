import type { mongo } from 'mongoose';
import { MINUTE_MS, nextUtcDayMs, utcDay, type Clock } from '../../lib/clock.js';
import { WINDOW_NAMES, type Meter, type WindowName } from '../plans/window.js';

/** What an earlier version counted, by window, where that window has not ended. */
export type EarlierCounts = Partial<Record<WindowName, { units: number; end: Date }>>;

/** The counters of earlier versions. This version only reads them. MongoDB removes each document when it expires. */
export const EARLIER_COLLECTION = 'quotaCounters';
const LOOK_AGAIN_MS = MINUTE_MS;

interface EarlierDocument {
  key: string;
  points: number;
  expire: Date;
}

/**
 * Reads the counters of earlier versions, so that an upgrade does not start the windows over: a key's first charge in a
 * window takes over what an earlier version has counted in it. Looks once a minute whether there are any, because a
 * gateway of an earlier version can join at any time.
 */
export function createEarlierCounts(
  db: mongo.Db,
  stopwatchMs: Clock = () => performance.now(),
): {
  /** By the ids of the meters. */
  of: (meters: readonly Meter[]) => Promise<ReadonlyMap<string, EarlierCounts>>;
} {
  const collection = db.collection<EarlierDocument>(EARLIER_COLLECTION);
  const none: ReadonlyMap<string, EarlierCounts> = new Map();
  let isEmpty: Promise<boolean> | undefined;
  let lookedAtMs = 0;

  function areGone(): Promise<boolean> {
    if (isEmpty === undefined || stopwatchMs() - lookedAtMs > LOOK_AGAIN_MS) {
      lookedAtMs = stopwatchMs();
      isEmpty = collection.findOne({}, { projection: { _id: 1 } }).then(
        (found) => found === null,
        (error: unknown) => {
          isEmpty = undefined;
          throw error;
        },
      );
    }
    return isEmpty;
  }

  return {
    async of(meters) {
      if (await areGone()) return none;
      const nowMs = Date.now();
      const wanted = new Map<string, { id: string; name: WindowName; endMs: number | undefined }>();
      for (const { id, windows } of meters)
        for (const { name, epoch } of windows.filter((window) => WINDOW_NAMES.includes(window.name)))
          wanted.set(`quota:{${id}}:${name}:${epoch}${name === 'day' ? `:${utcDay(nowMs)}` : ''}`, {
            id,
            name,
            endMs: name === 'day' ? nextUtcDayMs(nowMs) : undefined,
          });
      const alive = { key: { $in: [...wanted.keys()] }, expire: { $gt: new Date(nowMs) } };
      const found = await collection.find(alive).toArray();
      const counts = new Map<string, EarlierCounts>();
      for (const { key, points, expire } of found) {
        const window = wanted.get(key);
        if (window === undefined) continue;
        const end = window.endMs === undefined ? expire : new Date(window.endMs);
        counts.set(window.id, { ...counts.get(window.id), [window.name]: { units: points, end } });
      }
      return counts;
    },
  };
}
