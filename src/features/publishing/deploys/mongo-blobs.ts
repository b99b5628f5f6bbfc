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
  brotli?: mongo.Binary | null;
  /** Since when possibly no deploy lists it; missing while a deploy lists it. */
  unlistedSince?: Date | null;
  /** The project that an unlisted blob counts for; missing if it counts for none. */
  projectId?: string | null;
  /** Its stored size, at least MIN_BLOB_BYTES; missing in blobs saved before sizes were recorded. */
  sizeBytes?: number | null;
  /** The upload that saved it; missing once a deploy has listed it or another upload relies on it. */
  uploadId?: string | null;
}

const schema = new Schema<BlobDocument>(
  {
    _id: String,
    bytes: Schema.Types.Buffer,
    gzip: Schema.Types.Buffer,
    brotli: Schema.Types.Buffer,
    unlistedSince: Date,
    projectId: String,
    sizeBytes: Number,
    uploadId: String,
  },
  { versionKey: false },
);
schema.index({ unlistedSince: 1 }, { sparse: true });
// Covers the sum over a project's blobs, so that the sum does not read the bytes.
schema.index(
  { projectId: 1, unlistedSince: 1, sizeBytes: 1 },
  { partialFilterExpression: { unlistedSince: { $exists: true } } },
);

export const blobsCollection = collectionShape('siteBlobs', schema);

/** Per run. A deploy waits for the run; the limit is higher than the number of blobs a deploy can add. */
const REMOVED_AT_ONCE = 1000;
const MARKED = { unlistedSince: { $ne: null } } as const;
/** The same condition as index bounds, so that the index alone answers the query. */
const SINCE_EVER = { unlistedSince: { $gt: new Date(0) } } as const;
/** Fields that a blob lacks while a deploy lists it. */
const MARKS = { unlistedSince: 1, projectId: 1, uploadId: 1 } as const;

export interface MongoBlobs {
  keep(projectId: string, sha256s: readonly string[]): Promise<Set<string>>;
  save(projectId: string, uploadId: string, blobs: readonly Blob[]): Promise<Set<string>>;
  discard(upload: StoredFiles): Promise<void>;
  unlistedOf(projectId: string): Promise<UnlistedBlobs>;
  get(sha256: string): Promise<Blob | undefined>;
  /** Marks the blobs as listed by a deploy, and returns whether all of them exist. In a transaction. */
  list(sha256s: readonly string[]): Promise<boolean>;
  /**
   * Marks the blobs as unlisted. If another deploy lists a blob, the removal clears the mark. The blobs count for the
   * project, or for none.
   */
  unlist(sha256s: readonly string[], projectId: string | undefined): Promise<void>;
  /** Removes the project from all unlisted blobs, so that none count for it. */
  forget(projectId: string): Promise<void>;
  /**
   * Removes blobs that have been unlisted for an hour, unless a deploy lists them after all; of one project or of all.
   */
  removeUnlisted(projectId?: string): Promise<void>;
}

/**
 * The bytes of files. A blob has a mark if possibly no deploy lists it: the time when that began. Publication clears
 * the mark in its transaction. Removal deletes only blobs that still have the mark it read. So the later of the two
 * fails, and a publication checks that it found all its blobs. A mark set during a publication takes effect only after
 * an hour, and then removal checks again if a deploy lists the blob.
 *
 * A new blob also carries the id of its upload. Publication clears the id, and so does every other upload that finds
 * the blob, before it relies on the blob. A failed upload deletes only blobs that still have the mark and its own id.
 *
 * @param deploys the collection of deploys, and the field with the hashes that a deploy lists
 */
export function createMongoBlobs(
  connection: Connection,
  deploys: { from: string; foreignField: string },
  clock: Clock,
): MongoBlobs {
  const model = connection.model<BlobDocument>('SiteBlob', schema, blobsCollection.name);
  const now = () => new Date(clock());

  return {
    async keep(projectId, sha256s) {
      const known = { _id: { $in: [...sha256s] } };
      const unlistedSince = now();
      const $unset = { uploadId: 1 } as const;
      // A marked blob that counted for no project, because a deploy lists it, still counts for none.
      const counted = { ...known, ...MARKED, projectId: { $ne: null } };
      const uncounted = { ...known, ...MARKED, projectId: null };
      await model.bulkWrite([
        { updateMany: { filter: counted, update: { $set: { unlistedSince, projectId }, $unset } } },
        { updateMany: { filter: uncounted, update: { $set: { unlistedSince }, $unset } } },
      ]);
      // Excludes blobs saved in the meantime: the upload that saved them can still discard them.
      const safe = { ...known, $or: [{ unlistedSince: null }, { uploadId: null }] };
      return new Set((await model.find(safe, { _id: 1 }).lean()).map(({ _id }) => _id));
    },
    async save(projectId, uploadId, blobs) {
      if (blobs.length === 0) return new Set();
      const unlistedSince = now();
      const inserts = blobs.map(({ sha256, ...copies }) => {
        const storedBytes = Object.values(copies).reduce((sum, { length }) => sum + length, 0);
        const sizeBytes = Math.max(MIN_BLOB_BYTES, storedBytes);
        const blob = { ...copies, unlistedSince, projectId, sizeBytes, uploadId };
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
        ...(found.brotli && { brotli: Buffer.from(found.brotli.buffer) }),
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
    async removeUnlisted(projectId) {
      const unlisted = { unlistedSince: { $lte: new Date(clock() - UNLISTED_MS) } };
      const found = await model.aggregate<{ _id: string; deploys: unknown[] }>([
        { $match: { ...(projectId !== undefined && { projectId }), ...unlisted } },
        { $sort: { unlistedSince: 1 } },
        { $limit: REMOVED_AT_ONCE },
        { $project: { _id: 1 } },
        // One deploy that lists the blob is enough: thousands may list a common one.
        {
          $lookup: {
            ...deploys,
            localField: '_id',
            pipeline: [{ $limit: 1 }, { $project: { _id: 1 } }],
            as: 'deploys',
          },
        },
      ]);
      const those = (listed: boolean) => ({
        _id: { $in: found.filter((blob) => blob.deploys.length > 0 === listed).map(({ _id }) => _id) },
      });
      // Matches only the mark that was read: a deploy removed in the meantime sets a new one.
      await model.updateMany({ ...those(true), ...unlisted }, { $unset: MARKS });
      await model.deleteMany({ ...those(false), ...unlisted });
    },
  };
}
