import { Schema, type Connection, type mongo } from 'mongoose';
import type { Clock } from '../../../lib/clock.js';
import { collectionShape } from '../../../platform/mongo/collection-shape.js';
import type { Blob } from './deploys-store.js';

interface BlobDocument {
  /** The SHA-256 of the bytes. */
  _id: string;
  bytes: mongo.Binary;
  gzip?: mongo.Binary | null;
  /** Since when it may be that no deploy lists it; missing while one does. */
  unlistedSince?: Date | null;
}

const schema = new Schema<BlobDocument>(
  { _id: String, bytes: Schema.Types.Buffer, gzip: Schema.Types.Buffer, unlistedSince: Date },
  { versionKey: false },
);
schema.index({ unlistedSince: 1 }, { sparse: true });

export const blobsCollection = collectionShape('siteBlobs', schema);

/** Far more than a deploy takes from its first blob to its publication. */
const UNLISTED_MS = 3_600_000;
/** Removed at once at most: a deploy waits for it. */
const REMOVED_AT_ONCE = 100;

export interface MongoBlobs {
  keep(sha256s: readonly string[]): Promise<Set<string>>;
  save(blobs: readonly Blob[]): Promise<void>;
  get(sha256: string): Promise<Blob | undefined>;
  /** Whether all of them are there; from then on a deploy lists them. In a transaction. */
  list(sha256s: readonly string[]): Promise<boolean>;
  /** Marks them: one that another deploy lists loses the mark when it is asked about. */
  unlist(sha256s: readonly string[]): Promise<void>;
  /** Removes what has carried the mark for an hour, unless a deploy lists it after all. */
  removeUnlisted(isListed: (sha256: string) => Promise<boolean>): Promise<void>;
}

/**
 * The bytes of files. A blob that may be listed by nobody carries the time since when. Publication takes that mark away
 * in its transaction, removal deletes only what still carries the mark it saw: of the two the later one fails, and a
 * publication counts the blobs that it found. A mark set while a publication runs is an hour from being acted upon,
 * and whether a deploy lists the blob is asked again then.
 */
export function createMongoBlobs(connection: Connection, clock: Clock): MongoBlobs {
  const model = connection.model<BlobDocument>('SiteBlob', schema, blobsCollection.name);
  const now = () => new Date(clock());

  return {
    async keep(sha256s) {
      const known = { _id: { $in: [...sha256s] } };
      await model.updateMany({ ...known, unlistedSince: { $ne: null } }, { $set: { unlistedSince: now() } });
      return new Set((await model.find(known, { _id: 1 }).lean()).map(({ _id }) => _id));
    },
    async save(blobs) {
      if (blobs.length === 0) return;
      const inserts = blobs.map(({ sha256, bytes, gzip }) => ({
        updateOne: {
          filter: { _id: sha256 },
          update: { $setOnInsert: { bytes, ...(gzip && { gzip }), unlistedSince: now() } },
          upsert: true,
        },
      }));
      await model.bulkWrite(inserts, { ordered: false });
    },
    async get(sha256) {
      const found = await model.findById(sha256).lean();
      if (found === null) return undefined;
      return {
        sha256,
        bytes: Buffer.from(found.bytes.buffer),
        ...(found.gzip && { gzip: Buffer.from(found.gzip.buffer) }),
      };
    },
    async list(sha256s) {
      const distinct = [...new Set(sha256s)];
      const { matchedCount } = await model.updateMany(
        { _id: { $in: distinct } },
        { $unset: { unlistedSince: 1 } },
      );
      return matchedCount === distinct.length;
    },
    async unlist(sha256s) {
      await model.updateMany({ _id: { $in: [...sha256s] } }, { $set: { unlistedSince: now() } });
    },
    async removeUnlisted(isListed) {
      const unlisted = { unlistedSince: { $lte: new Date(clock() - UNLISTED_MS) } };
      const found = await model
        .find(unlisted, { _id: 1 })
        .sort({ unlistedSince: 1 })
        .limit(REMOVED_AT_ONCE)
        .lean();
      for (const { _id } of found)
        if (await isListed(_id)) await model.updateOne({ _id }, { $unset: { unlistedSince: 1 } });
        else await model.deleteOne({ _id, ...unlisted });
    },
  };
}
