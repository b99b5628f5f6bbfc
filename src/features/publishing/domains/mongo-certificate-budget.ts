import { Schema, type Connection } from 'mongoose';
import type { CertificateBudget } from './domains-store.js';

interface BudgetDocument {
  /** What the authority counts together: the platform's host. */
  _id: string;
  /** Of those who had a certificate, or may have had one. */
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

/** A place is taken before the step that may bring the certificate, which a lease bounds (customer-domains.ts). */
const LONGEST_STEP_MS = 10 * 60 * 1000;
const WEEK_MS = 7 * 24 * 60 * 60 * 1000 + LONGEST_STEP_MS;

/**
 * Any seven days, not calendar weeks: that is how authorities count. One document has all places, so that each change
 * of it sees all others.
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
