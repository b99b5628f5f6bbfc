import {
  Schema,
  type Connection,
  type QueryFilter,
  type UpdateQuery,
  type UpdateWithAggregationPipeline,
} from 'mongoose';
import { utcDay } from '../lib/clock.js';
import { PROJECTS_COLLECTION, toProject, type ProjectDocument } from '../projects/mongo-projects-store.js';
import type { Ban } from '../quotas/ban.js';
import { API_KEY_ROLES, type ApiKey, type ApiKeySecret } from './api-key.js';
import type { ApiKeysStore } from './api-keys-store.js';

export const API_KEYS_COLLECTION = 'apiKeys';

interface ApiKeyDocument {
  _id: string;
  name: string;
  role: ApiKey['role'];
  projectId?: string | null;
  secrets: ApiKeySecret[];
  allowedOrigins: string[];
  createdAt: Date;
  expiresAt?: Date | null;
  revokedAt?: Date | null;
  lastUsedAt?: Date | null;
  ban?: Ban | null;
  epochs: { minute: number; day: number };
  /** Raised by every change that a request depends on: what watchers look at. Uses do not raise it. */
  revision: number;
}

const schema = new Schema<ApiKeyDocument>(
  {
    _id: String,
    name: { type: String, required: true },
    role: { type: String, enum: API_KEY_ROLES, required: true },
    projectId: String,
    secrets: [{ _id: false, hash: String, start: String, expiresAt: Date }],
    allowedOrigins: [String],
    createdAt: { type: Date, required: true },
    expiresAt: Date,
    revokedAt: Date,
    lastUsedAt: Date,
    ban: { type: { until: Date, offences: Number, day: String }, _id: false },
    epochs: { type: { minute: Number, day: Number }, _id: false, required: true },
    revision: { type: Number, default: 0 },
  },
  { versionKey: false },
);
schema.index({ 'secrets.hash': 1 }, { unique: true });
schema.index({ projectId: 1, createdAt: 1 });

export async function createMongoApiKeysStore(connection: Connection): Promise<ApiKeysStore> {
  const model = connection.model<ApiKeyDocument>('ApiKey', schema, API_KEYS_COLLECTION);
  await model.createIndexes();

  async function change(
    filter: QueryFilter<ApiKeyDocument>,
    update: UpdateQuery<ApiKeyDocument> | UpdateWithAggregationPipeline,
  ): Promise<ApiKey | undefined> {
    const after = await model
      .findOneAndUpdate(filter, update, { returnDocument: 'after', updatePipeline: Array.isArray(update) })
      .lean();
    return after === null ? undefined : toApiKey(after);
  }
  const nextRevision = { $add: ['$revision', 1] };

  return {
    async insert({ id, ...fields }) {
      const result = await model.updateOne(
        { _id: id },
        { $setOnInsert: { ...fields, revision: 0 } },
        { upsert: true },
      );
      return result.upsertedCount === 1;
    },
    async get(id) {
      const found = await model.findById(id).lean();
      return found === null ? undefined : toApiKey(found);
    },
    async findBySecretHash(hash) {
      const [found] = await model
        .aggregate<ApiKeyDocument & { projects: ProjectDocument[] }>([
          { $match: { 'secrets.hash': hash } },
          {
            $lookup: {
              from: PROJECTS_COLLECTION,
              localField: 'projectId',
              foreignField: '_id',
              as: 'projects',
            },
          },
        ])
        .read('primary');
      if (found === undefined) return undefined;
      const [project] = found.projects;
      if (found.role !== 'admin' && project === undefined) return undefined;
      return { key: toApiKey(found), project: project && toProject(project) };
    },
    list: async (filter) => (await model.find(filter).sort({ createdAt: 1, _id: 1 }).lean()).map(toApiKey),
    addSecret: (id, secret, oldExpireAt) =>
      change({ _id: id, revokedAt: null }, [
        {
          $set: {
            secrets: {
              $concatArrays: [
                {
                  $map: {
                    input: '$secrets',
                    in: {
                      $mergeObjects: [
                        '$$this',
                        // $min passes over what is missing: an earlier end is kept.
                        { expiresAt: { $min: ['$$this.expiresAt', oldExpireAt] } },
                      ],
                    },
                  },
                },
                [secret],
              ],
            },
            revision: nextRevision,
          },
        },
      ]),
    revoke: (id, at) =>
      change({ _id: id }, [{ $set: { revokedAt: { $ifNull: ['$revokedAt', at] }, revision: nextRevision } }]),
    raiseEpochs: (id, windows) =>
      change(
        { _id: id },
        { $inc: { ...Object.fromEntries(windows.map((name) => [`epochs.${name}`, 1])), revision: 1 } },
      ),
    ban(id, nowMs, { banSeconds, maxBanSeconds }) {
      const day = utcDay(nowMs);
      const earlier = { $cond: [{ $eq: ['$ban.day', day] }, '$ban.offences', 0] };
      const seconds = {
        $min: [maxBanSeconds, { $multiply: [banSeconds, { $pow: [2, { $min: [earlier, 30] }] }] }],
      };
      return change({ _id: id, $or: [{ ban: null }, { 'ban.until': { $lte: new Date(nowMs) } }] }, [
        {
          $set: {
            ban: {
              until: { $add: [new Date(nowMs), { $multiply: [1000, seconds] }] },
              offences: { $add: [earlier, 1] },
              day,
            },
            revision: nextRevision,
          },
        },
      ]);
    },
    liftBan: (id, at) =>
      change({ _id: id }, [
        {
          $set: {
            ban: {
              $cond: [
                { $gt: ['$ban.until', at] },
                { $mergeObjects: ['$ban', { until: at }] },
                { $ifNull: ['$ban', '$$REMOVE'] },
              ],
            },
            revision: nextRevision,
          },
        },
      ]),
    async recordUse(uses) {
      await model.bulkWrite(
        uses.map(({ keyId, lastUsedAt }) => ({
          updateOne: { filter: { _id: keyId }, update: { $max: { lastUsedAt } } },
        })),
        { ordered: false },
      );
    },
  };
}

function toApiKey(document: ApiKeyDocument): ApiKey {
  const { _id, projectId, expiresAt, revokedAt, lastUsedAt, ban } = document;
  return {
    id: _id,
    name: document.name,
    role: document.role,
    projectId: projectId ?? undefined,
    secrets: document.secrets.map((secret) => ({
      hash: secret.hash,
      start: secret.start,
      expiresAt: secret.expiresAt ?? undefined,
    })),
    allowedOrigins: document.allowedOrigins,
    createdAt: document.createdAt,
    expiresAt: expiresAt ?? undefined,
    revokedAt: revokedAt ?? undefined,
    lastUsedAt: lastUsedAt ?? undefined,
    ban: ban ?? undefined,
    epochs: { minute: document.epochs.minute, day: document.epochs.day },
  };
}
