import { Schema, type Connection } from 'mongoose';
import { createBatcher } from '../../../lib/batcher.js';
import type { Clock } from '../../../lib/clock.js';
import { collectionShape } from '../../../platform/mongo/collection-shape.js';
import type { Session } from './session.js';
import type { SessionsStore } from './sessions-store.js';

interface SessionDocument extends Omit<Session, 'tokenHash'> {
  _id: string;
  /** Incremented by each administrative change that the session makes, see SessionsStore.lock. */
  locks?: number;
}

const SESSIONS_PER_QUERY = 500;

const schema = new Schema<SessionDocument>(
  {
    _id: String,
    sealedSecretHash: { type: String, required: true },
    keyId: { type: String, required: true },
    browser: String,
    createdAt: { type: Date, required: true },
    // MongoDB removes expired sessions once a minute, by its own clock. Until then, the service checks the expiry.
    expiresAt: { type: Date, required: true, expires: 0 },
    endsAt: { type: Date, required: true },
    locks: Number,
  },
  { versionKey: false },
);

schema.index({ keyId: 1, createdAt: -1 });

export const sessionsCollection = collectionShape('sessions', schema);

export function createMongoSessionsStore(connection: Connection, clock: Clock): SessionsStore {
  const model = connection.model<SessionDocument>('Session', schema, sessionsCollection.name);

  /** Lookups that arrive during a lookup share the next query: a session is checked again while its requests wait. */
  const find = createBatcher<string, Session | undefined>(
    {
      async send(hashes) {
        const ids = [...new Set(hashes)];
        const found = await model
          .find({ _id: { $in: ids } })
          .read('primary')
          .lean();
        const byHash = new Map(found.map((document) => [document._id, toSession(document)]));
        return hashes.map((hash) => byHash.get(hash));
      },
      sizeOf: () => 1,
      maxSize: SESSIONS_PER_QUERY,
    },
    clock,
  );

  return {
    async insert({ tokenHash, ...session }) {
      await new model({ _id: tokenHash, ...session }).save();
    },
    find,
    async lock(tokenHash) {
      const found = await model
        .findOneAndUpdate({ _id: tokenHash }, { $inc: { locks: 1 } }, { returnDocument: 'after' })
        .lean();
      return found === null ? undefined : toSession(found);
    },
    async listOfKey(keyId, { first, from }) {
      const found = await model
        .find({ keyId, ...(from && { createdAt: { $lte: from } }) })
        .sort({ createdAt: -1 })
        .limit(first)
        .read('primary')
        .lean();
      return found.map(toSession);
    },
    async extend(tokenHash, expiresAt) {
      await model.updateOne({ _id: tokenHash }, { $max: { expiresAt } });
    },
    async remove(tokenHash) {
      return (await model.deleteOne({ _id: tokenHash })).deletedCount === 1;
    },
    async removeOthers(keyId, tokenHash, now) {
      const others = { keyId, _id: { $ne: tokenHash }, expiresAt: { $gt: now } };
      return (await model.deleteMany(others)).deletedCount;
    },
    async removeOldest(keyId, { tokenHash, keep, now }) {
      const oldest = await model
        .find({ keyId, _id: { $ne: tokenHash }, expiresAt: { $gt: now } }, { _id: 1 })
        .sort({ createdAt: -1 })
        .skip(keep - 1)
        .lean();
      if (oldest.length === 0) return 0;
      return (await model.deleteMany({ _id: { $in: oldest.map(({ _id }) => _id) } })).deletedCount;
    },
    async removeOfKeys(keyIds) {
      await model.deleteMany({ keyId: { $in: [...keyIds] } });
    },
  };
}

function toSession({ _id, locks: _locks, ...session }: SessionDocument): Session {
  return { tokenHash: _id, ...session };
}
