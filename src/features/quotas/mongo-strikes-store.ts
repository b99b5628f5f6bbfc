import { Schema, type Connection } from 'mongoose';
import { collectionShape } from '../../platform/mongo/collection-shape.js';
import type { BanPolicy } from '../plans/ban.js';
import type { StrikesStore } from './strikes-store.js';

interface StrikesDocument {
  _id: string;
  seconds: number[];
  bans: boolean;
  expireAt: Date;
}

const schema = new Schema<StrikesDocument>(
  { _id: String, seconds: [Number], bans: Boolean, expireAt: { type: Date, expires: 0 } },
  { versionKey: false },
);

export const strikesCollection = collectionShape('strikes', schema);

/** Decides in one atomic update: the update that exceeds the limit sees `bans` and empties the list. */
export function createMongoStrikesStore(connection: Connection, policy: BanPolicy): StrikesStore {
  const model = connection.model('Strikes', schema, strikesCollection.name);
  return {
    async add(keyId, second) {
      const recent = {
        $filter: {
          input: { $ifNull: ['$seconds', []] },
          cond: { $gt: ['$$this', second - policy.strikeWindowSeconds] },
        },
      };
      const after = await model.collection.findOneAndUpdate(
        { _id: keyId as never },
        [
          { $set: { seconds: { $setUnion: [recent, [second]] } } },
          { $set: { bans: { $gt: [{ $size: '$seconds' }, policy.strikes] } } },
          {
            $set: {
              seconds: { $cond: ['$bans', [], '$seconds'] },
              expireAt: new Date((second + policy.strikeWindowSeconds) * 1000),
            },
          },
        ],
        { upsert: true, returnDocument: 'after' },
      );
      return after?.['bans'] === true;
    },
    async remove(keyIds) {
      await model.deleteMany({ _id: { $in: [...keyIds] } });
    },
  };
}
