import { Schema, type Connection, type mongo } from 'mongoose';
import { DAY_MS } from '../../lib/clock.js';
import { collectionShape } from '../../platform/mongo/collection-shape.js';
import { removeInParts } from '../../platform/mongo/remove-in-parts.js';
import type { Batch } from './batch.js';
import { nameOf, projectDays, type ProjectDay } from './groups.js';
import { addOnce, nowWith, without, type AddedOnce, type Addition } from './mongo-add-once.js';
import { MAX_REFUSALS, type ApiInterface, type KeyRefusal, type Refusal, type UsageGroup } from './usage.js';
import type { DaySpan, KeyDay, RecordedDay, UsageStore } from './usage-store.js';

/** Stored under the field's first name, so that gateways of two versions can read each other's records. */
type RefusalDocument = Omit<Refusal, 'interface'> & {
  door: ApiInterface;
  /** Set in the document of a project. */
  keyId?: string;
};

/** One day of a key or of a project. Projects have their own sum, because a project can have a great many keys. */
interface UsageDocument extends AddedOnce {
  /** The id of the key or project. */
  of: string;
  /** Set for a key. */
  projectId?: string | undefined;
  day: string;
  /** Groups by nameOf. */
  groups?: Record<string, { requests: number | bigint; cost: number | bigint }>;
  /** The sum over all groups. */
  cost: number;
  bans: number;
  refusals?: RefusalDocument[];
  /** The end of the day; retention counts from here. */
  endsAt: Date;
}

const schema = new Schema<UsageDocument>(
  {
    _id: String,
    of: { type: String, required: true },
    projectId: String,
    day: { type: String, required: true },
    groups: Schema.Types.Mixed,
    cost: Number,
    bans: Number,
    refusals: [Schema.Types.Mixed],
    writers: Schema.Types.Mixed,
    endsAt: { type: Date, required: true },
  },
  { versionKey: false },
);
schema.index({ of: 1, day: 1 });
schema.index(
  { projectId: 1, day: 1, cost: 1 },
  { partialFilterExpression: { projectId: { $exists: true } } },
);

export const usageCollection = collectionShape('usage', schema);

/** Limits each query's time. */
const MAX_READ_MS = 5000;

export function createMongoUsageStore(connection: Connection): UsageStore {
  const model = connection.model<UsageDocument>('Usage', schema, usageCollection.name);
  const collection = model.collection as unknown as mongo.Collection<UsageDocument>;

  return {
    async add({ keyDays, ...batch }) {
      const added = [...keyDays.map(ofKey), ...projectDays(keyDays).map(ofProject)];
      await addOnce(collection, added, (counted) => additionOf(counted, batch));
    },
    async days(ids, { first, last }) {
      const found = await collection
        .find(
          { of: { $in: [...ids] }, day: { $gte: first, $lte: last } },
          { projection: { of: 1, day: 1, groups: 1, bans: 1 }, maxTimeMS: MAX_READ_MS },
        )
        .toArray();
      return found.map(toRecordedDay);
    },
    async daysOver(of, id, span, limit) {
      const rows = await collection
        .aggregate<{ _id: string; keys: number; over: number | bigint }>(
          [
            { $match: { [of === 'key' ? 'of' : 'projectId']: id, day: within(span), cost: { $gt: limit } } },
            {
              $group: { _id: '$day', keys: { $sum: 1 }, over: { $sum: { $subtract: ['$cost', limit] } } },
            },
          ],
          { maxTimeMS: MAX_READ_MS },
        )
        .toArray();
      return rows
        .map(({ _id, keys, over }) => ({ day: _id, keys, over: Number(over) }))
        .sort((a, b) => a.day.localeCompare(b.day));
    },
    async refusals(id, first) {
      const days = await collection
        .find(
          { of: id, 'refusals.0': { $exists: true } },
          { projection: { refusals: 1 }, maxTimeMS: MAX_READ_MS },
        )
        .sort({ day: -1 })
        // Each matching day has at least one rejection.
        .limit(first)
        .toArray();
      return days
        .flatMap(({ refusals = [] }) => refusals.toReversed().map((refusal) => toRefusal(id, refusal)))
        .slice(0, first);
    },
    async removeOfProject(projectId, signal) {
      await removeInParts(collection, { of: projectId }, signal);
      await removeInParts(collection, { projectId }, signal);
    },
  };
}

function within({ first, last }: DaySpan) {
  return { $gte: first, $lte: last };
}

/** The data that a document gets once. */
interface Counted extends Pick<UsageDocument, 'of' | 'projectId' | 'day' | 'bans'> {
  groups: readonly UsageGroup[];
  refusals: readonly (Refusal | KeyRefusal)[];
}

function ofKey({ keyId, ...day }: KeyDay): Counted {
  return { of: keyId, ...day };
}

function ofProject({ projectId, ...day }: ProjectDay): Counted {
  return { of: projectId, ...day };
}

function additionOf(
  { of, projectId, day, groups, bans, refusals }: Counted,
  batch: Batch,
): Addition<UsageDocument> {
  const counts = groups.flatMap((group): [string, number][] => [
    [`groups.${nameOf(group)}.requests`, group.requests],
    [`groups.${nameOf(group)}.cost`, group.cost],
  ]);
  const endsAt = new Date(Date.parse(day) + DAY_MS);
  return {
    filter: { _id: `${of} ${day}`, ...without(batch) },
    update: {
      $setOnInsert: { of, ...(projectId !== undefined && { projectId }), day, endsAt },
      $set: nowWith(batch),
      $inc: {
        ...Object.fromEntries(counts),
        cost: groups.reduce((sum, { cost }) => sum + cost, 0),
        bans,
      },
      ...(refusals.length > 0 && {
        $push: {
          refusals: { $each: refusals.map(refusalDocument), $sort: { at: 1 }, $slice: -MAX_REFUSALS },
        },
      }),
    },
    upsert: true,
  };
}

function refusalDocument({ interface: door, ...refusal }: Refusal): RefusalDocument {
  return { ...refusal, door };
}

/** @param of the id of the key or project */
function toRefusal(of: string, { door, keyId = of, ...refusal }: RefusalDocument): KeyRefusal {
  return { ...refusal, keyId, interface: door };
}

function toRecordedDay({ of, day, groups = {}, bans }: UsageDocument): RecordedDay {
  return {
    id: of,
    day,
    bans,
    groups: Object.entries(groups).map(([name, { requests, cost }]) => {
      const [apiInterface, operation = '', status] = name.split(' ');
      return {
        interface: apiInterface as ApiInterface,
        operation,
        status: Number(status),
        requests: Number(requests),
        cost: Number(cost),
      };
    }),
  };
}
