import { Schema, type Connection, type mongo } from 'mongoose';
import type { Clock } from '../../../lib/clock.js';
import { collectionShape } from '../../../platform/mongo/collection-shape.js';
import { isDuplicateKey } from '../../../platform/mongo/error-codes.js';
import { removeInParts } from '../../../platform/mongo/remove-in-parts.js';
import type { Pet } from '../pet.js';
import type { IdempotencyRecord, IdempotencyStore } from './idempotency-store.js';

interface IdempotencyDocument {
  _id: string;
  fingerprint: string;
  petId: bigint;
  createdAt: Date;
  pet?: Pet | null;
  heldUntil: Date;
  isMade: boolean;
  expiresAt: Date;
}

const schema = new Schema<IdempotencyDocument>(
  {
    _id: String,
    fingerprint: { type: String, required: true },
    petId: { type: BigInt, required: true },
    createdAt: { type: Date, required: true },
    pet: {
      _id: false,
      type: {
        id: BigInt,
        name: String,
        categoryId: BigInt,
        status: String,
        projectId: String,
        externalId: String,
        createdAt: Date,
      } satisfies Record<keyof Pet, unknown>,
    },
    heldUntil: { type: Date, required: true },
    isMade: { type: Boolean, required: true },
    expiresAt: { type: Date, required: true, expires: 0 },
  },
  { versionKey: false },
);

const NOT_MADE = { isMade: false };

export const idempotencyCollection = collectionShape('idempotencyKeys', schema);

export function createMongoIdempotencyStore(connection: Connection, clock: Clock): IdempotencyStore {
  const model = connection.model<IdempotencyDocument>('Idempotency', schema, idempotencyCollection.name);
  const collection = model.collection as unknown as mongo.Collection<IdempotencyDocument>;

  async function begin(
    scope: string,
    record: IdempotencyRecord,
    expiresAt: Date,
  ): Promise<{ isOurs: boolean; record: IdempotencyRecord }> {
    try {
      // MongoDB removes expired records once a minute. This replaces an expired record that still exists.
      const { upsertedCount, modifiedCount } = await model.replaceOne(
        { _id: scope, expiresAt: { $lte: new Date(clock()) } },
        { ...record, expiresAt },
        { upsert: true },
      );
      if (upsertedCount + modifiedCount > 0) return { isOurs: true, record };
    } catch (error) {
      if (!isDuplicateKey(error)) throw error;
    }
    const there = await model.findById(scope).lean();
    // The record was removed between the two calls, as if it had never existed.
    return there === null ? begin(scope, record, expiresAt) : { isOurs: false, record: toRecord(there) };
  }

  return {
    begin,
    async takeOver(scope, { fingerprint, heldUntil: before }, heldUntil) {
      const filter = { _id: scope, fingerprint, heldUntil: before, ...NOT_MADE };
      return (await model.updateOne(filter, { $set: { heldUntil } })).modifiedCount === 1;
    },
    async finish(scope) {
      await model.updateOne({ _id: scope }, { $set: { isMade: true } });
    },
    async finishWith(scope, pet) {
      const made = await model.updateOne({ _id: scope, ...NOT_MADE }, { $set: { isMade: true, pet } });
      return made.modifiedCount === 1;
    },
    async release(scope, heldUntil) {
      await model.updateOne({ _id: scope, ...NOT_MADE }, { $set: { heldUntil } });
    },
    async removeUnder(prefix, signal) {
      // A range query, which the index serves for any prefix.
      await removeInParts(collection, { _id: { $gte: prefix, $lt: `${prefix}\uffff` } }, signal);
    },
  };
}

function toRecord(document: IdempotencyDocument): IdempotencyRecord {
  const { fingerprint, petId, createdAt, pet, heldUntil, isMade } = document;
  return { fingerprint, petId, createdAt, heldUntil, isMade, ...(pet != null && { pet }) };
}
