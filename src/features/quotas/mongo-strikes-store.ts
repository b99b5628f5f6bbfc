import { Schema, type Connection } from 'mongoose';
import { collectionShape } from '../../platform/mongo/collection-shape.js';
import type { BanPolicy } from '../plans/ban.js';
import { LOOP_SHARE, type StrikesStore } from './strikes-store.js';

interface StrikesDocument {
  _id: string;
  /** Seconds with an early retry, as far back as a strike depends on them. */
  early: number[];
  /** Seconds that were strikes, within the policy's window. */
  strikes: number[];
  bans: boolean;
  expireAt: Date;
}

const schema = new Schema<StrikesDocument>(
  {
    _id: String,
    early: [Number],
    strikes: [Number],
    bans: Boolean,
    expireAt: { type: Date, expires: 0 },
  },
  { versionKey: false },
);

/** Limits each query's time. */
const MAX_READ_MS = 5000;

export const strikesCollection = collectionShape('strikes', schema);

/** Decides in one atomic update: the update that exceeds the limit sees `bans` and empties both lists. */
export function createMongoStrikesStore(
  connection: Connection,
  policy: Pick<BanPolicy, 'loopSeconds' | 'strikes' | 'strikeWindowSeconds'>,
): StrikesStore {
  const { loopSeconds, strikes, strikeWindowSeconds } = policy;
  const model = connection.model('Strikes', schema, strikesCollection.name);
  const needed = Math.ceil(loopSeconds * LOOP_SHARE);
  const recent = (list: string, after: number) => ({
    $filter: { input: { $ifNull: [list, []] }, cond: { $gt: ['$$this', after] } },
  });
  return {
    async add(keyId, second) {
      const isStrike = { $gte: [{ $size: '$early' }, needed] };
      const after = await model.collection.findOneAndUpdate(
        { _id: keyId as never },
        [
          { $set: { early: { $setUnion: [recent('$early', second - loopSeconds), [second]] } } },
          {
            $set: {
              strikes: {
                $setUnion: [
                  recent('$strikes', second - strikeWindowSeconds),
                  { $cond: [isStrike, [second], []] },
                ],
              },
            },
          },
          { $set: { bans: { $gt: [{ $size: '$strikes' }, strikes] } } },
          {
            $set: {
              early: { $cond: ['$bans', [], '$early'] },
              strikes: { $cond: ['$bans', [], '$strikes'] },
              expireAt: new Date((second + Math.max(loopSeconds, strikeWindowSeconds)) * 1000),
            },
          },
        ],
        { upsert: true, returnDocument: 'after' },
      );
      const document = after as Partial<StrikesDocument> | null;
      return { strikes: document?.strikes?.length ?? 0, bans: document?.bans === true };
    },
    async count(keyIds, nowSecond) {
      const found = await model
        .find({ _id: { $in: [...keyIds] } }, { strikes: 1 })
        .maxTimeMS(MAX_READ_MS)
        .lean();
      const isRecent = (second: number) => second > nowSecond - strikeWindowSeconds;
      return new Map(
        found.flatMap(({ _id, strikes: seconds }) => {
          const count = seconds.filter(isRecent).length;
          return count === 0 ? [] : [[_id, count] as const];
        }),
      );
    },
    async remove(keyIds) {
      await model.deleteMany({ _id: { $in: [...keyIds] } });
    },
  };
}
