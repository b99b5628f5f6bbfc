import { Schema, type Connection, type mongo } from 'mongoose';
import type { Clock } from '../../../lib/clock.js';
import { collectionShape } from '../../../platform/mongo/collection-shape.js';
import {
  MIN_BLOB_BYTES,
  UNLISTED_MS,
  type Blob,
  type StoredFiles,
  type UnlistedBlobs,
} from './deploys-store.js';

interface BlobDocument {
  /** The SHA-256 of the bytes. */
  _id: string;
  bytes: mongo.Binary;
  gzip?: mongo.Binary | null;
  /** Since when it may be that no deploy lists it; missing while one does. */
  unlistedSince?: Date | null;
  /** The project that an unlisted blob counts for; missing: it counts for none. */
  projectId?: string | null;
  /** What it takes, at least MIN_BLOB_BYTES; missing in those saved before this was counted. */
  sizeBytes?: number | null;
  /** The upload that saved it; missing once a deploy has listed it or another upload relies on it. */
  uploadId?: string | null;
}

const schema = new Schema<BlobDocument>(
  {
    _id: String,
    bytes: Schema.Types.Buffer,
    gzip: Schema.Types.Buffer,
    unlistedSince: Date,
    projectId: String,
    sizeBytes: Number,
    uploadId: String,
  },
  { versionKey: false },
);
schema.index({ unlistedSince: 1 }, { sparse: true });
// Has all that the sum of a project asks for: the bytes are not read.
schema.index(
  { projectId: 1, unlistedSince: 1, sizeBytes: 1 },
  { partialFilterExpression: { unlistedSince: { $exists: true } } },
);

export const blobsCollection = collectionShape('siteBlobs', schema);

/** In one run, which a deploy waits for: more than a deploy can add. */
const REMOVED_AT_ONCE = 1000;
/** A part of the connections to MongoDB. */
const ASKED_AT_ONCE = 20;
const MARKED = { unlistedSince: { $ne: null } } as const;
/** The same as bounds in an index, which then answers alone. */
const SINCE_EVER = { unlistedSince: { $gt: new Date(0) } } as const;
/** What a blob that a deploy lists does not have. */
const MARKS = { unlistedSince: 1, projectId: 1, uploadId: 1 } as const;

export interface MongoBlobs {
  keep(projectId: string, sha256s: readonly string[]): Promise<Set<string>>;
  save(projectId: string, uploadId: string, blobs: readonly Blob[]): Promise<Set<string>>;
  discard(upload: StoredFiles): Promise<void>;
  unlistedOf(projectId: string): Promise<UnlistedBlobs>;
  get(sha256: string): Promise<Blob | undefined>;
  /** Whether all of them are there; from then on a deploy lists them. In a transaction. */
  list(sha256s: readonly string[]): Promise<boolean>;
  /**
   * Marks them: one that another deploy lists loses the mark when it is asked about. They count for the project, or for
   * none.
   */
  unlist(sha256s: readonly string[], projectId: string | undefined): Promise<void>;
  /** Nothing counts for this project any more. */
  forget(projectId: string): Promise<void>;
  /** Removes what has carried the mark for an hour, unless a deploy lists it after all; of one project or of all. */
  removeUnlisted(isListed: (sha256: string) => Promise<boolean>, projectId?: string): Promise<void>;
}

/**
 * The bytes of files. A blob that may be listed by nobody carries the time since when. Publication takes that mark away
 * in its transaction, removal deletes only what still carries the mark it saw: of the two the later one fails, and a
 * publication counts the blobs that it found. A mark set while a publication runs is an hour from being acted upon,
 * and whether a deploy lists the blob is asked again then.
 *
 * A new blob carries the id of its upload too. Publication takes that away, and so does every other upload that finds
 * the blob, before it relies on it. An upload that fails deletes only what still carries the mark and its own id.
 */
export function createMongoBlobs(connection: Connection, clock: Clock): MongoBlobs {
  const model = connection.model<BlobDocument>('SiteBlob', schema, blobsCollection.name);
  const now = () => new Date(clock());

  return {
    async keep(projectId, sha256s) {
      const known = { _id: { $in: [...sha256s] } };
      const unlistedSince = now();
      const $unset = { uploadId: 1 } as const;
      // What counted for nobody, because a deploy lists it, goes on so.
      const counted = { ...known, ...MARKED, projectId: { $ne: null } };
      const uncounted = { ...known, ...MARKED, projectId: null };
      await model.bulkWrite([
        { updateMany: { filter: counted, update: { $set: { unlistedSince, projectId }, $unset } } },
        { updateMany: { filter: uncounted, update: { $set: { unlistedSince }, $unset } } },
      ]);
      // Without those saved since: their upload can still discard them.
      const safe = { ...known, $or: [{ unlistedSince: null }, { uploadId: null }] };
      return new Set((await model.find(safe, { _id: 1 }).lean()).map(({ _id }) => _id));
    },
    async save(projectId, uploadId, blobs) {
      if (blobs.length === 0) return new Set();
      const unlistedSince = now();
      const inserts = blobs.map(({ sha256, bytes, gzip }) => {
        const sizeBytes = Math.max(MIN_BLOB_BYTES, bytes.length + (gzip?.length ?? 0));
        const blob = { bytes, ...(gzip && { gzip }), unlistedSince, projectId, sizeBytes, uploadId };
        return { updateOne: { filter: { _id: sha256 }, update: { $setOnInsert: blob }, upsert: true } };
      });
      const { upsertedIds } = await model.bulkWrite(inserts, { ordered: false });
      return new Set(Object.values(upsertedIds).map(String));
    },
    async discard({ uploadId, files }) {
      await model.deleteMany({ _id: { $in: files.map(({ sha256 }) => sha256) }, uploadId, ...MARKED });
    },
    async unlistedOf(projectId) {
      const [sum] = await model.aggregate<{ bytes: number; oldestSince: Date }>([
        { $match: { projectId, ...SINCE_EVER } },
        {
          $group: {
            _id: null,
            bytes: { $sum: { $ifNull: ['$sizeBytes', MIN_BLOB_BYTES] } },
            oldestSince: { $min: '$unlistedSince' },
          },
        },
      ]);
      return { bytes: sum?.bytes ?? 0, oldestSince: sum?.oldestSince };
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
      const { matchedCount } = await model.updateMany({ _id: { $in: distinct } }, { $unset: MARKS });
      return matchedCount === distinct.length;
    },
    async unlist(sha256s, projectId) {
      if (sha256s.length === 0) return;
      await model.updateMany(
        { _id: { $in: [...sha256s] } },
        {
          $set: { unlistedSince: now(), ...(projectId !== undefined && { projectId }) },
          $unset: { uploadId: 1, ...(projectId === undefined && { projectId: 1 }) },
        },
      );
    },
    async forget(projectId) {
      await model.updateMany({ projectId, ...SINCE_EVER }, { $unset: { projectId: 1 } });
    },
    async removeUnlisted(isListed, projectId) {
      const unlisted = { unlistedSince: { $lte: new Date(clock() - UNLISTED_MS) } };
      const found = await model
        .find({ ...(projectId !== undefined && { projectId }), ...unlisted }, { _id: 1 })
        .sort({ unlistedSince: 1 })
        .limit(REMOVED_AT_ONCE)
        .lean();
      for (let at = 0; at < found.length; at += ASKED_AT_ONCE) {
        const ids = found.slice(at, at + ASKED_AT_ONCE).map(({ _id }) => _id);
        const areListed = await Promise.all(ids.map(isListed));
        const those = (listed: boolean) => ({ _id: { $in: ids.filter((_, i) => areListed[i] === listed) } });
        // Only with the mark that was seen: a deploy that is removed meanwhile sets another.
        await model.updateMany({ ...those(true), ...unlisted }, { $unset: MARKS });
        await model.deleteMany({ ...those(false), ...unlisted });
      }
    },
  };
}
