import { Schema, type Connection, type mongo } from 'mongoose';
import { HOUR_MS, type Clock } from '../../../lib/clock.js';
import { collectionShape } from '../../../platform/mongo/collection-shape.js';
import type { Blob } from './deploys-store.js';

interface FileDocument {
  deployId: string;
  sha256: string;
  bytes: mongo.Binary;
  gzip?: mongo.Binary | null;
  brotli?: mongo.Binary | null;
  /** MongoDB removes the file then. Missing once the deploy is ready and lists the file. */
  expiresAt?: Date | null;
}

const schema = new Schema<FileDocument>(
  {
    deployId: { type: String, required: true },
    sha256: { type: String, required: true },
    bytes: Schema.Types.Buffer,
    gzip: Schema.Types.Buffer,
    brotli: Schema.Types.Buffer,
    expiresAt: { type: Date, expires: 0 },
  },
  { versionKey: false },
);
const OF_DEPLOY = { deployId: 1, sha256: 1 } as const;
schema.index(OF_DEPLOY, { unique: true });

export const deployFilesCollection = collectionShape('deployFiles', schema);

/**
 * How long a file stays that no ready deploy lists. A deploy awaits its upload for an hour, so no upload relies on a file
 * of an earlier attempt that is about to expire, and storing and publishing take seconds.
 */
const EXPIRES_AFTER_MS = 2 * HOUR_MS;
const EXPIRING = { expiresAt: { $ne: null } } as const;

export interface MongoDeployFiles {
  /** Copies stored files from one deploy to another. Returns the hashes of all files that the other one then has. */
  copy(fromId: string, toId: string, sha256s: readonly string[]): Promise<Set<string>>;
  /** Saves the files that the deploy does not have yet. */
  save(deployId: string, blobs: readonly Blob[]): Promise<void>;
  /** Removes the files of the deploy that still expire. */
  discard(deployId: string): Promise<void>;
  /** Keeps the files, and returns whether all of them exist. In a transaction. */
  keep(deployId: string, sha256s: readonly string[]): Promise<boolean>;
  get(deployId: string, sha256: string): Promise<Blob | undefined>;
  /** Removes all files of these deploys. */
  remove(deployIds: readonly string[]): Promise<void>;
}

/**
 * The bytes of files, each of one deploy. A file is saved with a time when it expires, and loses that time in the
 * transaction that makes its deploy ready. If MongoDB removes a file, or a failed upload discards it, at the same moment,
 * the two are a write conflict: either the file stays, or the transaction finds it missing.
 */
export function createMongoDeployFiles(connection: Connection, clock: Clock): MongoDeployFiles {
  const model = connection.model<FileDocument>('DeployFile', schema, deployFilesCollection.name);
  const expiry = () => new Date(clock() + EXPIRES_AFTER_MS);

  return {
    async copy(fromId, toId, sha256s) {
      // Within MongoDB: the bytes do not pass through this process.
      await model.aggregate([
        { $match: { deployId: fromId, sha256: { $in: [...sha256s] } } },
        { $set: { deployId: toId, expiresAt: expiry() } },
        { $unset: '_id' },
        {
          $merge: {
            into: deployFilesCollection.name,
            on: Object.keys(OF_DEPLOY),
            whenMatched: 'keepExisting',
          },
        },
      ]);
      const found = await model.find({ deployId: toId }, { _id: 0, sha256: 1 }).lean();
      return new Set(found.map(({ sha256 }) => sha256));
    },
    async save(deployId, blobs) {
      if (blobs.length === 0) return;
      const expiresAt = expiry();
      // Changes no existing file: it may be one of a deploy that another upload has just made ready.
      const inserts = blobs.map(({ sha256, ...copies }) => ({
        updateOne: {
          filter: { deployId, sha256 },
          update: { $setOnInsert: { ...copies, expiresAt } },
          upsert: true,
        },
      }));
      await model.bulkWrite(inserts, { ordered: false });
    },
    async discard(deployId) {
      await model.deleteMany({ deployId, ...EXPIRING });
    },
    async keep(deployId, sha256s) {
      const distinct = [...new Set(sha256s)];
      const { matchedCount } = await model.updateMany(
        { deployId, sha256: { $in: distinct } },
        { $unset: { expiresAt: 1 } },
      );
      return matchedCount === distinct.length;
    },
    async get(deployId, sha256) {
      const found = await model.findOne({ deployId, sha256 }).lean();
      if (found === null) return undefined;
      return {
        sha256,
        bytes: Buffer.from(found.bytes.buffer),
        ...(found.gzip && { gzip: Buffer.from(found.gzip.buffer) }),
        ...(found.brotli && { brotli: Buffer.from(found.brotli.buffer) }),
      };
    },
    async remove(deployIds) {
      await model.deleteMany({ deployId: { $in: [...deployIds] } });
    },
  };
}
