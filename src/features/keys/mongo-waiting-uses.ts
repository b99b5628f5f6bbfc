import { Schema, type Connection } from 'mongoose';
import type { Clock } from '../../lib/clock.js';
import { collectionShape } from '../../platform/mongo/collection-shape.js';
import type { KeyUse } from './api-keys-store.js';
import { countOfRank, usageRank, type ApiKeyDocument } from './mongo-api-key-document.js';

/**
 * Uses of keys that wait for their key's document, because that document is in many indexes: a use there costs MongoDB
 * about 30 times as much as here. README.md has the reasons and figures.
 */
export interface WaitingUses {
  /** Adds uses, any number of times. */
  add(uses: readonly KeyUse[]): Promise<void>;
  /** Returns these documents with the uses that wait for them. The order stays. */
  addTo(documents: readonly ApiKeyDocument[]): Promise<ApiKeyDocument[]>;
  /**
   * Passes uses that have waited for long to `write`: a part of them, if one is due. Called at each interval of 5 s, it
   * writes all parts in less than WAIT_MS.
   */
  writeDue(write: (uses: readonly KeyUse[]) => Promise<void>): Promise<void>;
}

/** The uses of all keys whose ids have the same hash. */
interface PartDocument {
  _id: number;
  keys?: UsesById;
  /** Uses that are being written, or that were written when `areWritten` is true. */
  leaving?: UsesById;
  areWritten?: boolean;
  /** When `keys` begins to leave. */
  dueAt: Date;
}

type UsesById = Record<string, WaitingUse>;

/** The latest use, and the highest rank of each epoch of the day window. */
type WaitingUse = { at: Date } & Record<`e${number}`, number>;

/** Few, so that a write of 20,000 keys has few updates; many, so that a part of a million keys is a small document. */
const PARTS = 128;
/** Each key in use costs one write of its document in this time. */
const WAIT_MS = 20 * 60_000;
/** More keys than that are read without naming each. */
const MAX_NAMED = 500;

const schema = new Schema<PartDocument>({ _id: Number, dueAt: { type: Date, required: true } });
schema.index({ dueAt: 1 });
export const waitingUsesCollection = collectionShape('keyUses', schema);

export function createMongoWaitingUses(connection: Connection, clock: Clock): WaitingUses {
  // The driver's collection: uses are not part of a transaction.
  const collection = connection.collection<PartDocument>(waitingUsesCollection.name);

  /** A part whose writer has died is written again. */
  async function takeDue(): Promise<(PartDocument & { leaving: UsesById }) | undefined> {
    const nowMs = clock();
    const isUnwritten = { $eq: ['$areWritten', false] };
    const due = await collection.findOneAndUpdate(
      { dueAt: { $lte: new Date(nowMs) } },
      [
        {
          $set: {
            leaving: { $cond: [isUnwritten, '$leaving', { $ifNull: ['$keys', {}] }] },
            keys: { $cond: [isUnwritten, '$keys', '$$REMOVE'] },
            areWritten: false,
            dueAt: new Date(nowMs + WAIT_MS),
          },
        },
      ],
      { sort: { dueAt: 1 }, returnDocument: 'after' },
    );
    return due === null ? undefined : { ...due, leaving: due.leaving ?? {} };
  }

  return {
    async add(uses) {
      const parts = new Map<number, Record<string, Date | number>>();
      for (const { keyId, lastUsedAt, day } of uses) {
        const part = partOf(keyId);
        let max = parts.get(part);
        if (max === undefined) parts.set(part, (max = {}));
        max[`keys.${keyId}.at`] = lastUsedAt;
        if (day !== undefined) max[`keys.${keyId}.e${day.epoch}`] = usageRank(day.startsAtMs, day.used);
      }
      const nowMs = clock();
      const updates = Array.from(parts, ([_id, $max]) => ({
        updateOne: {
          filter: { _id },
          // Parts of the first writing leave one after the other.
          update: { $max, $setOnInsert: { dueAt: new Date(nowMs + (WAIT_MS * (_id + 1)) / PARTS) } },
          upsert: true,
        },
      }));
      await collection.bulkWrite(updates, {
        ordered: false,
        writeConcern: { w: 1 },
      });
    },
    async addTo(documents) {
      if (documents.length === 0) return [];
      const ids = documents.map(({ _id }) => _id);
      const named = ids.flatMap((id) => [`keys.${id}`, `leaving.${id}`]);
      const parts = await collection
        .find({ _id: { $in: [...new Set(ids.map(partOf))] } })
        .project<PartDocument>(
          ids.length > MAX_NAMED
            ? { keys: 1, leaving: 1 }
            : Object.fromEntries(named.map((path) => [path, 1])),
        )
        .toArray();
      const byPart = new Map(parts.map((part) => [part._id, part]));
      return documents.map((document) => {
        const { keys, leaving } = byPart.get(partOf(document._id)) ?? {};
        return withUse(withUse(document, leaving?.[document._id]), keys?.[document._id]);
      });
    },
    async writeDue(write) {
      const part = await takeDue();
      if (part === undefined) return;
      const { _id, keys, leaving, dueAt } = part;
      const uses = Object.entries(leaving).map(([keyId, use]) => toKeyUse(keyId, use));
      await write(uses);
      if (keys === undefined && uses.length === 0)
        await collection.deleteOne({ _id, dueAt, keys: { $exists: false } });
      // They stay until the next ones leave, for a reader that has read the key's document before it was written.
      else await collection.updateOne({ _id, dueAt }, { $set: { areWritten: true } });
    },
  };
}

/** FNV-1a. */
function partOf(keyId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < keyId.length; i += 1) hash = Math.imul(hash ^ keyId.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % PARTS;
}

function withUse(document: ApiKeyDocument, use: WaitingUse | undefined): ApiKeyDocument {
  if (use === undefined) return document;
  // A count from before a reset of the day is outdated, the time is not.
  const rank = use[`e${document.epochs.day}`] ?? 0;
  const { lastUsedAt, usageRank: stored } = document;
  return {
    ...document,
    lastUsedAt: lastUsedAt == null || lastUsedAt < use.at ? use.at : lastUsedAt,
    ...(rank > (stored ?? 0) && { usageRank: rank }),
  };
}

function toKeyUse(keyId: string, { at, ...epochs }: WaitingUse): KeyUse {
  const counts = Object.entries(epochs).map(([name, rank]) => ({ epoch: Number(name.slice(1)), rank }));
  const latest = counts.sort((a, b) => a.epoch - b.epoch).at(-1);
  if (latest === undefined) return { keyId, lastUsedAt: at };
  return {
    keyId,
    lastUsedAt: at,
    day: { ...countOfRank(latest.rank), epoch: latest.epoch },
  };
}
