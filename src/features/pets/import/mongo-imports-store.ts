import { Schema, type Connection } from 'mongoose';
import { transact } from '../../../platform/mongo/connection.js';
import type { PetsStore } from '../pets-store.js';
import type { ImportBatch, ImportCounts, ImportRecord, ImportsStore, LinePlace } from './imports-store.js';

interface ImportDocument {
  _id: string;
  startedAt: Date;
  run: string;
  finishedAt?: Date | null;
  idsAbove: bigint;
  next: LinePlace;
  pending: ImportBatch[];
  counts: ImportCounts;
}

const place = { offset: { type: Number, required: true }, line: { type: Number, required: true } };
const schema = new Schema<ImportDocument>(
  {
    _id: String,
    startedAt: { type: Date, required: true },
    run: { type: String, required: true },
    finishedAt: Date,
    idsAbove: { type: BigInt, required: true },
    next: place,
    pending: [{ _id: false, start: place, end: place, firstId: BigInt }],
    counts: { imported: Number, unchanged: Number, rejected: Number },
  },
  { versionKey: false },
);

const NOTHING_YET = {
  next: { offset: 0, line: 1 },
  pending: [],
  counts: { imported: 0, unchanged: 0, rejected: 0 },
};

export function createMongoImportsStore(
  connection: Connection,
  pets: Pick<PetsStore, 'setIdsAside'>,
): ImportsStore {
  const model = connection.model<ImportDocument>('Import', schema, 'imports');

  return {
    begin: (id, run, highestId, startedAt) =>
      // One transaction, so that ids are never set aside without the import that can use them.
      transact(connection, async () => {
        const there = await model.findById(id).lean();
        if (there !== null) {
          if (there.finishedAt == null) await model.updateOne({ _id: id }, { $set: { run } });
          return toRecord({ ...there, run });
        }
        const idsAbove = await pets.setIdsAside(highestId);
        const document = { _id: id, startedAt, run, idsAbove, ...NOTHING_YET };
        await model.create([document]);
        return toRecord(document);
      }),
    async advance({ id, run }, { next, pending, counts }) {
      const moved = await model.updateOne(
        { _id: id, run },
        { $set: { next, pending: [...pending], counts } },
      );
      return moved.matchedCount === 1;
    },
    async finish({ id, run }, counts, finishedAt) {
      const ended = await model.updateOne({ _id: id, run }, { $set: { pending: [], counts, finishedAt } });
      return ended.matchedCount === 1;
    },
    async forgetFinished(id) {
      await model.deleteOne({ _id: id, finishedAt: { $ne: null } });
    },
  };
}

function toRecord({ _id, startedAt, finishedAt, run, ...rest }: ImportDocument): ImportRecord {
  const { idsAbove, next, pending, counts } = rest;
  return { id: _id, startedAt, run, ...(finishedAt && { finishedAt }), idsAbove, next, pending, counts };
}
