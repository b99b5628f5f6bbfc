import { Schema, Types, type Connection } from 'mongoose';
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
    before: Schema.Types.Mixed,
    after: { type: Schema.Types.Mixed, required: true },
    counts: String,
  },
  { versionKey: false, minimize: false },
);
schema.index({ projectId: 1, _id: -1 });
schema.index({ apiKeyId: 1, _id: -1 });
schema.index({ 'actor.keyId': 1, _id: -1 });
schema.index({ counts: 1 }, { unique: true, sparse: true });

/** The length of `2026-11-23T10`, an ISO time up to its hour. */
const HOUR_LENGTH = 13;

export const auditCollection = collectionShape('audit', schema);

export function createMongoAuditStore(connection: Connection): AuditStore {
  const model = connection.model<AuditDocument>('Audit', schema, auditCollection.name);
  const insert = ({ target, ...record }: Omit<AuditRecord, 'id'>, counts?: string) =>
    new model({
      _id: new Types.ObjectId(),
      ...record,
      ...target,
      ...(counts !== undefined && { counts }),
    }).save();
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
          ...(beforeId !== undefined && { _id: { $lt: new Types.ObjectId(beforeId) } }),
        })
        .sort({ _id: -1 })
        .limit(first + 1)
        .lean();
      return { records: found.slice(0, first).map(toRecord), hasMore: found.length > first };
    },
  };
}

function toRecord({
  _id,
  at,
  actor,
  action,
  projectId,
  apiKeyId,
  before,
  after,
}: AuditDocument): AuditRecord {
  return {
    id: _id.toHexString(),
    at,
    actor: { keyId: actor.keyId ?? undefined, systemUser: actor.systemUser ?? undefined, role: actor.role },
    action,
    target: { projectId: projectId ?? undefined, apiKeyId: apiKeyId ?? undefined },
    before: before ?? undefined,
    after,
  };
}
