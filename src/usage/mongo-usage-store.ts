import { Schema, type Connection, type mongo } from 'mongoose';
import { DAY_MS } from '../lib/clock.js';
import { isDuplicateKey } from '../mongo/duplicate-key.js';
import { MAX_REFUSALS, type Door, type Refusal, type UsageOf } from './usage.js';
import type { DayGroup, DaySpan, KeyDay, UsageBatch, UsageStore } from './usage-store.js';

/** One key on one day. */
interface UsageDocument {
  _id: string;
  keyId: string;
  projectId?: string | undefined;
  day: string;
  /** By `door operation status`. */
  groups?: Record<string, { requests: number; cost: number }>;
  /** Of all groups. */
  cost: number;
  bans: number;
  refusals?: Refusal[];
  /** The last batch of each process that is in it. */
  writers: Record<string, number>;
  expireAt: Date;
}

const schema = new Schema<UsageDocument>(
  {
    _id: String,
    keyId: { type: String, required: true },
    projectId: String,
    day: { type: String, required: true },
    groups: Schema.Types.Mixed,
    cost: Number,
    bans: Number,
    refusals: [Schema.Types.Mixed],
    writers: Schema.Types.Mixed,
    expireAt: { type: Date, required: true, expires: 0 },
  },
  { versionKey: false },
);
schema.index({ keyId: 1, day: 1 });
schema.index({ projectId: 1, day: 1 });

/** Written in parts, so that building them holds up no request for long. */
const WRITES_AT_ONCE = 500;
/** Nobody waits longer for an answer. */
const MAX_READ_MS = 5000;

export async function createMongoUsageStore(
  connection: Connection,
  { retentionDays }: { retentionDays: number },
): Promise<UsageStore> {
  const model = connection.model<UsageDocument>('Usage', schema, 'usage');
  await model.createCollection();
  await model.createIndexes();
  const collection = model.collection as unknown as mongo.Collection<UsageDocument>;
  const read = <T extends mongo.Document>(pipeline: mongo.Document[]): Promise<T[]> =>
    collection.aggregate<T>(pipeline, { maxTimeMS: MAX_READ_MS }).toArray();

  /**
   * Each document keeps the number of the last batch that it had from a writer, and takes none twice. One that has it
   * is not matched; then the upsert meets its own key.
   */
  async function write(writes: mongo.AnyBulkWriteOperation<UsageDocument>[]): Promise<void> {
    const failed = await faultsOf(collection.bulkWrite(writes, { ordered: false }));
    if (failed.length === 0) return;
    // A taken key also means that another process made the document meanwhile: without upsert, nothing is in doubt.
    const again = failed.flatMap((i) => {
      const one = writes[i];
      return one !== undefined && 'updateOne' in one
        ? [{ updateOne: { ...one.updateOne, upsert: false } }]
        : [];
    });
    await collection.bulkWrite(again, { ordered: false });
  }

  return {
    async add({ writer, number, keyDays }) {
      for (let i = 0; i < keyDays.length; i += WRITES_AT_ONCE) {
        const part = keyDays.slice(i, i + WRITES_AT_ONCE);
        await write(
          part.map((keyDay) => ({ updateOne: additionOf(keyDay, { writer, number }, retentionDays) })),
        );
      }
    },
    async groups(of, ids, span) {
      const rows = await read<{ _id: GroupId; requests: number | bigint; cost: number | bigint }>([
        { $match: within(of, ids, span) },
        { $project: { id: `$${FIELD[of]}`, day: 1, group: { $objectToArray: '$groups' } } },
        { $unwind: '$group' },
        {
          $group: {
            _id: { id: '$id', day: '$day', group: '$group.k' },
            requests: { $sum: '$group.v.requests' },
            cost: { $sum: '$group.v.cost' },
          },
        },
      ]);
      return rows.map(toDayGroup);
    },
    async bans(of, ids, span) {
      const rows = await read<{ _id: string; bans: number }>([
        { $match: { ...within(of, ids, span), bans: { $gt: 0 } } },
        { $group: { _id: `$${FIELD[of]}`, bans: { $sum: '$bans' } } },
      ]);
      return new Map(rows.map(({ _id, bans }) => [_id, bans]));
    },
    async daysOver(of, id, span, limit) {
      const rows = await read<{ _id: string; keys: number; over: number | bigint }>([
        { $match: { ...within(of, [id], span), cost: { $gt: limit } } },
        { $group: { _id: '$day', keys: { $sum: 1 }, over: { $sum: { $subtract: ['$cost', limit] } } } },
      ]);
      return rows
        .map(({ _id, keys, over }) => ({ day: _id, keys, over: Number(over) }))
        .sort((a, b) => a.day.localeCompare(b.day));
    },
    async refusals(keyId, first) {
      const days = await collection
        .find(
          { keyId, 'refusals.0': { $exists: true } },
          { projection: { refusals: 1 }, maxTimeMS: MAX_READ_MS },
        )
        .sort({ day: -1 })
        // Each has one at least.
        .limit(first)
        .toArray();
      return days.flatMap(({ refusals = [] }) => refusals.toReversed()).slice(0, first);
    },
  };
}

const FIELD: Record<UsageOf, 'keyId' | 'projectId'> = { key: 'keyId', project: 'projectId' };

function within(of: UsageOf, ids: readonly string[], { first, last }: DaySpan) {
  return { [FIELD[of]]: { $in: [...ids] }, day: { $gte: first, $lte: last } };
}

function additionOf(
  { keyId, projectId, day, groups, bans, refusals }: KeyDay,
  { writer, number }: Pick<UsageBatch, 'writer' | 'number'>,
  retentionDays: number,
): mongo.UpdateOneModel<UsageDocument> {
  const counts = groups.flatMap(({ door, operation, status, requests, cost }): [string, number][] => {
    const path = `groups.${door} ${operation} ${status}`;
    return [
      [`${path}.requests`, requests],
      [`${path}.cost`, cost],
    ];
  });
  const endMs = Date.parse(day) + DAY_MS;
  return {
    filter: { _id: `${keyId} ${day}`, [`writers.${writer}`]: { $not: { $gte: number } } },
    update: {
      $setOnInsert: {
        keyId,
        ...(projectId !== undefined && { projectId }),
        day,
        expireAt: new Date(endMs + retentionDays * DAY_MS),
      },
      $set: { [`writers.${writer}`]: number },
      $inc: {
        ...Object.fromEntries(counts),
        cost: groups.reduce((sum, { cost }) => sum + cost, 0),
        bans,
      },
      ...(refusals.length > 0 && {
        $push: { refusals: { $each: [...refusals], $sort: { at: 1 }, $slice: -MAX_REFUSALS } },
      }),
    },
    upsert: true,
  };
}

/** The places of those that met a taken key. @throws whatever else went wrong */
async function faultsOf(write: Promise<unknown>): Promise<number[]> {
  try {
    await write;
    return [];
  } catch (error) {
    const { writeErrors } = error as { writeErrors?: mongo.WriteError | mongo.WriteError[] };
    const faults = [writeErrors ?? []].flat();
    if (faults.length === 0 || !faults.every(isDuplicateKey)) throw error;
    return faults.map(({ index }) => index);
  }
}

interface GroupId {
  id: string;
  day: string;
  group: string;
}

function toDayGroup({
  _id: { id, day, group },
  requests,
  cost,
}: {
  _id: GroupId;
  requests: number | bigint;
  cost: number | bigint;
}): DayGroup {
  const [door, operation = '', status] = group.split(' ');
  return {
    id,
    day,
    door: door as Door,
    operation,
    status: Number(status),
    requests: Number(requests),
    cost: Number(cost),
  };
}
