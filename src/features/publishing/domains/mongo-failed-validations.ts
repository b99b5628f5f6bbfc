import { Schema, type Connection } from 'mongoose';
import { collectionShape } from '../../../platform/mongo/collection-shape.js';
import type { FailedValidations } from './domains-store.js';

interface FailureDocument {
  name: string;
  at: Date;
}

const KEPT_SECONDS = 2 * 60 * 60;

const schema = new Schema<FailureDocument>(
  { name: { type: String, required: true }, at: { type: Date, required: true, expires: KEPT_SECONDS } },
  { versionKey: false },
);
schema.index({ name: 1, at: 1 });

export const failedValidationsCollection = collectionShape('failedValidations', schema);

export function createMongoFailedValidations(connection: Connection): FailedValidations {
  const model = connection.model<FailureDocument>(
    'FailedValidation',
    schema,
    failedValidationsCollection.name,
  );
  return {
    async record(name, at) {
      await model.create([{ name, at }]);
    },
    since: async (name, at) =>
      (
        await model
          .find({ name, at: { $gt: at } })
          .sort({ at: 1 })
          .lean()
      ).map((failure) => failure.at),
  };
}
