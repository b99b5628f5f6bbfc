import { Schema, type Connection } from 'mongoose';
import type { CertificateBudget } from './domains-store.js';
import { DAY_MS } from '../../../lib/clock.js';

interface BudgetDocument {
  /** The platform host: the authority counts all certificates under it together. */
  _id: string;
  /** Each belongs to a host that got a certificate, or may have got one. */
  places: Place[];
}

interface Place {
  id: string;
  at: Date;
}

const schema = new Schema<BudgetDocument>(
  { _id: String, places: { type: [{ id: String, at: Date, _id: false }], required: true } },
  { versionKey: false },
);

/** A place is taken before the step that may get the certificate. A lease limits that step (domain-jobs.ts). */
const LONGEST_STEP_MS = 10 * 60 * 1000;
const WEEK_MS = 7 * DAY_MS + LONGEST_STEP_MS;

/**
 * Counts any seven days, not calendar weeks, as authorities do. One document contains all places, so each update sees
 * all other updates.
 */
export function createMongoCertificateBudget(
  connection: Connection,
  platformHost: string,
  perWeek: number,
): CertificateBudget {
  const model = connection.model<BudgetDocument>('CertificateBudget', schema, 'certificateBudgets');
  return {
    perWeek,
    async take(id, now) {
      const since = new Date(now.getTime() - WEEK_MS);
      const stored = { $ifNull: ['$places', []] };
      const others = {
        $filter: {
          input: stored,
          cond: { $and: [{ $gt: ['$$this.at', since] }, { $ne: ['$$this.id', id] }] },
        },
      };
      const isFree = { $lt: [{ $size: others }, perWeek] };
      const places = { $cond: [isFree, { $concatArrays: [others, [{ id, at: now }]] }, stored] };
      const after = await model
        .findByIdAndUpdate(platformHost, [{ $set: { places } }], {
          upsert: true,
          returnDocument: 'after',
          updatePipeline: true,
        })
        .lean();
      const taken = after.places
        .filter((place) => place.id !== id && place.at > since)
        .map(({ at }) => at.getTime());
      const inTheWay = taken.toSorted((a, b) => a - b)[taken.length - perWeek];
      return inTheWay === undefined ? undefined : new Date(inTheWay + WEEK_MS);
    },
    async refund(id, takenAt) {
      await model.updateOne({ _id: platformHost }, { $pull: { places: { id, at: takenAt } } });
    },
  };
}
