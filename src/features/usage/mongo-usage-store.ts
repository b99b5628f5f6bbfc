import { Schema, type Connection, type mongo } from 'mongoose';
import { DAY_MS } from '../../lib/clock.js';
import { collectionShape } from '../../platform/mongo/collection-shape.js';
import { removeInParts } from '../../platform/mongo/remove-in-parts.js';
import type { Batch } from './write-buffer.js';
import { nameOf, projectDays, type ProjectDay } from './groups.js';
import { addOnce, nowWith, without, type AddedOnce, type Addition } from './mongo-add-once.js';
import { MAX_REFUSALS, type ApiInterface, type KeyRefusal, type Refusal, type UsageGroup } from './usage.js';
import type {
  DaySpan,
  KeyDay,
  ReadSignal,
  RecordedDay,
  RecordedOver,
  RecordedSum,
  UsageStore,
} from './usage-store.js';

/** Stored under the field's first name, so that gateways of two versions can read each other's records. */
type RefusalDocument = Omit<Refusal, 'interface'> & {
  door: ApiInterface;
  /** Set in the document of a project. */
  keyId?: string;
};

interface StoredCounts {
  requests: number | bigint;
  cost: number | bigint;
}

/** One day of a key or of a project. Projects have their own sum, because a project can have a great many keys. */
interface UsageDocument extends AddedOnce {
  /** The id of the key or project. */
  of: string;
  /** Set for a key. */
  projectId?: string | undefined;
  day: string;
  /** Groups by nameOf. */
  groups?: Record<string, StoredCounts>;
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

interface RefusalRow {
  of: string;
  refusals: RefusalDocument;
}

/** The ids whose rejections one command reads. */
const REFUSALS_AT_ONCE = 50;
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
    async days(ids, span, signal) {
      const found = await collection
        .find(
          { of: { $in: [...ids] }, day: within(span) },
          { projection: { of: 1, day: 1, groups: 1, bans: 1 }, ...readOptions(signal) },
        )
        .toArray();
      return found.map(toRecordedDay);
    },
    async sums(ids, span, signal) {
      const rows = await collection.aggregate<SumRow>(sumsOf(ids, span), readOptions(signal)).toArray();
      const sums = new Map<string, RecordedSum>();
      for (const { _id, requests, cost, bans } of rows) {
        let sum = sums.get(_id.of);
        if (sum === undefined) sums.set(_id.of, (sum = { id: _id.of, groups: [], bans: 0 }));
        sum.bans += Number(bans);
        if (_id.group !== undefined) sum.groups.push(toGroup(_id.group, { requests, cost }));
      }
      return [...sums.values()];
    },
    async daysOver(of, ids, span, limits, signal) {
      const rows = await collection
        .aggregate<OverRow>(overOf(of === 'key' ? 'of' : 'projectId', ids, span, limits), readOptions(signal))
        .toArray();
      const found = new Map<string, RecordedOver>();
      for (const { _id, over, keys } of rows.sort((a, b) => a._id.day.localeCompare(b._id.day))) {
        let recorded = found.get(_id.id);
        if (recorded === undefined)
          found.set(_id.id, (recorded = { id: _id.id, daysOver: limits.map(() => []) }));
        for (const [i, daysOver] of recorded.daysOver.entries())
          if (Number(keys[i]) > 0)
            daysOver.push({ day: _id.day, keys: Number(keys[i]), over: Number(over[i]) });
      }
      return [...found.values()];
    },
    async refusals(ids, first, signal) {
      const found = new Map<string, KeyRefusal[]>(ids.map((id) => [id, []]));
      for (let i = 0; i < ids.length; i += REFUSALS_AT_ONCE) {
        const pipeline = latestRefusals(ids.slice(i, i + REFUSALS_AT_ONCE), first);
        const rows = collection.aggregate<RefusalRow>(pipeline, readOptions(signal));
        for (const { of, refusals } of await rows.toArray()) found.get(of)?.push(toRefusal(of, refusals));
      }
      return found;
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

/** MongoDB stops a read after MAX_READ_MS, and the driver one whose signal is aborted. */
function readOptions(signal: ReadSignal) {
  return { maxTimeMS: MAX_READ_MS, ...(signal && { signal }) };
}

interface SumRow {
  /** Without a group: days that have none. */
  _id: { of: string; group?: string };
  requests: number | bigint;
  cost: number | bigint;
  bans: number | bigint;
}

/** One row for each id and group. The bans of a day are counted with the first of its groups. */
function sumsOf(ids: readonly string[], span: DaySpan): mongo.Document[] {
  return [
    { $match: { of: { $in: [...ids] }, day: within(span) } },
    { $project: { of: 1, bans: 1, groups: { $objectToArray: { $ifNull: ['$groups', {}] } } } },
    { $unwind: { path: '$groups', includeArrayIndex: 'index', preserveNullAndEmptyArrays: true } },
    {
      $group: {
        _id: { of: '$of', group: '$groups.k' },
        requests: { $sum: '$groups.v.requests' },
        cost: { $sum: '$groups.v.cost' },
        bans: { $sum: { $cond: [{ $gt: ['$index', 0] }, 0, '$bans'] } },
      },
    },
  ];
}

interface OverRow {
  _id: { id: string; day: string };
  /** For each limit. */
  over: (number | bigint)[];
  keys: (number | bigint)[];
}

/** One row for each id and day over the least of the limits. The indexes cover what it reads of a project's keys. */
function overOf(
  field: 'of' | 'projectId',
  ids: readonly string[],
  span: DaySpan,
  limits: readonly number[],
): mongo.Document[] {
  const sums = limits.flatMap((limit, i): [string, mongo.Document][] => [
    [`over${i}`, { $sum: { $max: [0, { $subtract: ['$cost', limit] }] } }],
    [`keys${i}`, { $sum: { $cond: [{ $gt: ['$cost', limit] }, 1, 0] } }],
  ]);
  return [
    { $match: { [field]: { $in: [...ids] }, day: within(span), cost: { $gt: Math.min(...limits) } } },
    { $group: { _id: { id: `$${field}`, day: '$day' }, ...Object.fromEntries(sums) } },
    { $project: { over: limits.map((_, i) => `$over${i}`), keys: limits.map((_, i) => `$keys${i}`) } },
  ];
}

/**
 * The latest rejections of each id, one row each. A pipeline for each id: it follows the index from the newest day on,
 * and ends with the rejection that completes the list.
 */
function latestRefusals(ids: readonly string[], first: number): mongo.Document[] {
  const [one, ...others] = ids.map((id) => [
    { $match: { of: id, 'refusals.0': { $exists: true } } },
    { $sort: { day: -1 } },
    // Each of these days has at least one rejection.
    { $limit: first },
    { $project: { of: 1, refusals: { $reverseArray: '$refusals' } } },
    { $unwind: '$refusals' },
    { $limit: first },
  ]);
  return [
    ...(one ?? []),
    ...others.map((pipeline) => ({ $unionWith: { coll: usageCollection.name, pipeline } })),
  ];
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
    groups: Object.entries(groups).map(([name, counts]) => toGroup(name, counts)),
  };
}

function toGroup(name: string, { requests, cost }: StoredCounts): UsageGroup {
  const [apiInterface, operation = '', status] = name.split(' ');
  return {
    interface: apiInterface as ApiInterface,
    operation,
    status: Number(status),
    requests: Number(requests),
    cost: Number(cost),
  };
}
