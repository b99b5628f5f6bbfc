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
  },
  { versionKey: false, minimize: false },
);
schema.index({ projectId: 1, _id: -1 });
schema.index({ apiKeyId: 1, _id: -1 });
schema.index({ 'actor.keyId': 1, _id: -1 });

export const auditCollection = collectionShape('audit', schema);

export function createMongoAuditStore(connection: Connection): AuditStore {
  const model = connection.model<AuditDocument>('Audit', schema, auditCollection.name);
  return {
    async add({ target, ...record }) {
      await new model({ _id: new Types.ObjectId(), ...record, ...target }).save();
    },
    async list({ first, beforeId, target, actorKeyId }) {
      const { projectId, apiKeyId } = target;
      const found = await model
        .find({
          ...(projectId !== undefined && { projectId }),
          ...(apiKeyId !== undefined && { apiKeyId }),
          ...(actorKeyId !== undefined && { 'actor.keyId': actorKeyId }),
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
