import { Schema, Types, type Connection, type QueryFilter } from 'mongoose';
import { SECOND_MS } from '../../lib/clock.js';
import { collectionShape } from '../../platform/mongo/collection-shape.js';
import { AUDIT_ACTIONS, type Actor, type AuditRecord, type AuditState } from './audit-record.js';
import type { AuditStore } from './audit-store.js';

interface AuditDocument {
  _id: Types.ObjectId;
  at: Date;
  actor: Actor;
  action: AuditRecord['action'];
  projectId?: string | null;
  apiKeyId?: string | null;
  petId?: string | null;
  before?: AuditState | null;
  after: AuditState;
  /** The key, action and UTC hour that this record counts. Unset if the record stands for a single action. */
  counts?: string | null;
}

const schema = new Schema<AuditDocument>(
  {
    at: { type: Date, required: true },
    actor: { type: { keyId: String, systemUser: String, role: String }, _id: false, required: true },
    action: { type: String, enum: AUDIT_ACTIONS, required: true },
    projectId: String,
    apiKeyId: String,
    petId: String,
    before: Schema.Types.Mixed,
    after: { type: Schema.Types.Mixed, required: true },
    counts: String,
  },
  { versionKey: false, minimize: false },
);
schema.index({ projectId: 1, _id: -1 });
schema.index({ apiKeyId: 1, _id: -1 });
schema.index({ 'actor.keyId': 1, _id: -1 });
schema.index({ 'actor.role': 1, _id: -1 });
schema.index(
  { 'actor.systemUser': 1, _id: -1 },
  { partialFilterExpression: { 'actor.systemUser': { $exists: true } } },
);
schema.index({ action: 1, _id: -1 });
schema.index({ projectId: 1, action: 1, _id: -1 });
schema.index({ counts: 1 }, { unique: true, sparse: true });

const PROJECT_ACTIONS = AUDIT_ACTIONS.filter((action) => action.startsWith('project.'));

/** The ids whose names one command finds. */
const NAMES_AT_ONCE = 50;
/** Limits each query's time. */
const MAX_READ_MS = 5000;

/** The length of `2026-11-23T10`, an ISO time up to its hour. */
const HOUR_LENGTH = 13;

export const auditCollection = collectionShape('audit', schema);

export function createMongoAuditStore(connection: Connection): AuditStore {
  const model = connection.model<AuditDocument>('Audit', schema, auditCollection.name);
  const insert = ({ target, ...record }: Omit<AuditRecord, 'id'>, counts?: string) =>
    new model({
      // The time of the record, so that a range of ids is a range of times.
      _id: new Types.ObjectId(Types.ObjectId.generate(secondsOf(record.at))),
      ...record,
      ...target,
      ...(counts !== undefined && { counts }),
    }).save();
  /** Adds the last name in the newest matching record of each id. */
  async function addNames(
    names: Map<string, string>,
    ids: readonly string[],
    filterOf: (id: string) => QueryFilter<AuditDocument>,
  ): Promise<void> {
    for (let i = 0; i < ids.length; i += NAMES_AT_ONCE) {
      const [first = [], ...others] = ids
        .slice(i, i + NAMES_AT_ONCE)
        .map((id) => [
          { $match: filterOf(id) },
          { $sort: { _id: -1 as const } },
          { $limit: 1 },
          { $project: { of: { $literal: id }, after: '$after.name', before: '$before.name' } },
        ]);
      const found = await model
        .aggregate<{ of: string; after?: unknown; before?: unknown }>([
          ...first,
          ...others.map((pipeline) => ({ $unionWith: { coll: auditCollection.name, pipeline } })),
        ])
        .option({ maxTimeMS: MAX_READ_MS });
      for (const { of, after, before } of found) {
        const name = after ?? before;
        if (typeof name === 'string') names.set(of, name);
      }
    }
  }
  return {
    async add(record) {
      await insert(record);
    },
    async addOrCount(record, times = 1) {
      const { at, actor, action, after } = record;
      const counts = `${action} ${actor.keyId} ${at.toISOString().slice(0, HOUR_LENGTH)}`;
      const repeat = { $inc: { 'after.repeats': times }, $set: { 'after.lastAt': at.toISOString() } };
      const { matchedCount } = await model.updateOne({ counts }, repeat);
      if (matchedCount > 0) return;
      const repeated = times > 1 && { repeats: times - 1, lastAt: at.toISOString() };
      await insert({ ...record, after: { ...after, ...repeated } }, counts);
    },
    async list({ first, beforeId, target, actorKeyId, actorSystemUser, actorRole, action, from, to }) {
      const { projectId, apiKeyId } = target;
      const found = await model
        .find({
          ...(projectId !== undefined && { projectId }),
          ...(apiKeyId !== undefined && { apiKeyId }),
          ...(actorKeyId !== undefined && { 'actor.keyId': actorKeyId }),
          ...(actorSystemUser !== undefined && { 'actor.systemUser': actorSystemUser }),
          ...(actorRole !== undefined && { 'actor.role': actorRole }),
          ...(action !== undefined && { action }),
          ...((from !== undefined || to !== undefined) && {
            at: { ...(from && { $gte: from }), ...(to && { $lt: to }) },
          }),
          ...idRange(from, to, beforeId),
        })
        .sort({ _id: -1 })
        .limit(first + 1)
        .maxTimeMS(MAX_READ_MS)
        .lean();
      return { records: found.slice(0, first).map(toRecord), hasMore: found.length > first };
    },
    async namesOf(ids) {
      const names = new Map<string, string>();
      await addNames(names, ids, (apiKeyId) => ({ apiKeyId, 'after.name': { $type: 'string' } }));
      const others = ids.filter((id) => !names.has(id));
      await addNames(names, others, (projectId) => ({ projectId, action: { $in: PROJECT_ACTIONS } }));
      return names;
    },
  };
}

const GREATEST_SECONDS = 2 ** 32 - 1;

function idRange(from: Date | undefined, to: Date | undefined, beforeId: string | undefined) {
  const least = from && idAt(secondsOf(from));
  const latest = to && idAt(secondsOf(to) + 1);
  const cursor = beforeId === undefined ? undefined : new Types.ObjectId(beforeId);
  const before = [latest, cursor]
    .filter((id) => id !== undefined)
    .sort((a, b) => (a.toHexString() < b.toHexString() ? -1 : 1))[0];
  if (least === undefined && before === undefined) return {};
  return { _id: { ...(least && { $gte: least }), ...(before && { $lt: before }) } };
}

function secondsOf(at: Date): number {
  return Math.floor(at.getTime() / SECOND_MS);
}

/** The least id of a second; of the first or last one that an id can have for times before and after. */
function idAt(seconds: number): Types.ObjectId {
  return Types.ObjectId.createFromTime(Math.min(Math.max(seconds, 0), GREATEST_SECONDS));
}

function toRecord({
  _id,
  at,
  actor,
  action,
  projectId,
  apiKeyId,
  petId,
  before,
  after,
}: AuditDocument): AuditRecord {
  return {
    id: _id.toHexString(),
    at,
    actor: { keyId: actor.keyId ?? undefined, systemUser: actor.systemUser ?? undefined, role: actor.role },
    action,
    target: {
      projectId: projectId ?? undefined,
      apiKeyId: apiKeyId ?? undefined,
      ...(petId != null && { petId }),
    },
    before: before ?? undefined,
    after,
  };
}
