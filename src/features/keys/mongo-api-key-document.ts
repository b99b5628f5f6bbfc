import { Schema } from 'mongoose';
import { DAY_MS } from '../../lib/clock.js';
import { collectionShape } from '../../platform/mongo/collection-shape.js';
import type { Ban } from '../plans/ban.js';
import { PLAN_IDS, type PlanId } from '../plans/plans.js';
import { NO_RESETS, WINDOW_NAMES, type WindowName } from '../plans/window.js';
import { PAGE_INDEXES } from './mongo-api-keys-indexes.js';
import { API_KEY_ROLES, type ApiKey, type ApiKeySecret, type Invitation } from './api-key.js';

export const API_KEYS_COLLECTION = 'apiKeys';

export interface ApiKeyDocument {
  _id: string;
  name: string;
  role: ApiKey['role'];
  projectId?: string | null;
  /** The project's plan, copied for lists. Quotas depend on the project itself. */
  plan?: PlanId | null;
  secrets: ApiKeySecret[];
  allowedOrigins: string[];
  createdAt: Date;
  expiresAt?: Date | null;
  revokedAt?: Date | null;
  disabledAt?: Date | null;
  invitation?: Invitation | null;
  lastUsedAt?: Date | null;
  usageRank?: number | null;
  /** The last UTC day on which the key came near a limit. */
  nearLimitDay?: string | null;
  /** The last UTC day on which a request with the key got 429. */
  rejectedDay?: string | null;
  ban?: Ban | null;
  epochs: Record<WindowName, number>;
  /** Incremented by every change that affects requests, but not by uses; the change feed watches it. */
  revision: number;
  /** Incremented by each administrative change that a caller makes with the key, see ApiKeysStore.lock. */
  locks?: number | null;
  /** The transaction that comes first, see ApiKeysStore.claim. */
  claim?: { by: string; until: Date } | null;
}

export const apiKeySchema = new Schema<ApiKeyDocument>(
  {
    _id: String,
    name: { type: String, required: true },
    role: { type: String, enum: API_KEY_ROLES, required: true },
    projectId: String,
    plan: { type: String, enum: PLAN_IDS },
    secrets: [{ _id: false, hash: String, start: String, expiresAt: Date }],
    allowedOrigins: [String],
    createdAt: { type: Date, required: true },
    expiresAt: Date,
    revokedAt: Date,
    disabledAt: Date,
    invitation: { type: { tokenHash: String, expiresAt: Date }, _id: false },
    lastUsedAt: Date,
    usageRank: Number,
    nearLimitDay: String,
    rejectedDay: String,
    ban: { type: { until: Date, offences: Number, day: String }, _id: false },
    epochs: {
      type: Object.fromEntries(WINDOW_NAMES.map((name) => [name, Number])),
      _id: false,
      required: true,
    },
    revision: { type: Number, default: 0 },
    locks: Number,
    claim: { type: { by: String, until: Date }, _id: false },
  },
  { versionKey: false },
);
apiKeySchema.index({ 'secrets.hash': 1 }, { unique: true });
for (const { keys, options } of PAGE_INDEXES) apiKeySchema.index(keys, options);
export const apiKeysCollection = collectionShape(API_KEYS_COLLECTION, apiKeySchema);

/**
 * Larger than any day's count, so that one number can hold the day first and then the count. 2^53 suffices for 11,000
 * years.
 */
const RANKS_PER_DAY = 2 ** 31;

/**
 * Encodes usage as one increasing number: `$max` keeps the latest day and its highest count, in any order of writes.
 */
export function usageRank(atMs: number, usedThatDay: number): number {
  return Math.floor(atMs / DAY_MS) * RANKS_PER_DAY + usedThatDay;
}

/** The inverse of `usageRank`. */
export function countOfRank(rank: number): { startsAtMs: number; used: number } {
  return { startsAtMs: Math.floor(rank / RANKS_PER_DAY) * DAY_MS, used: rank % RANKS_PER_DAY };
}

function usageOn(nowMs: number, rank: number | null | undefined): number {
  return Math.max(0, (rank ?? 0) - usageRank(nowMs, 0));
}

export function toApiKey(document: ApiKeyDocument, nowMs: number): ApiKey {
  return {
    id: document._id,
    name: document.name,
    role: document.role,
    projectId: document.projectId ?? undefined,
    secrets: document.secrets.map(({ hash, start, expiresAt }) => ({
      hash,
      start,
      expiresAt: expiresAt ?? undefined,
    })),
    allowedOrigins: document.allowedOrigins,
    createdAt: document.createdAt,
    expiresAt: document.expiresAt ?? undefined,
    revokedAt: document.revokedAt ?? undefined,
    disabledAt: document.disabledAt ?? undefined,
    invitation: document.invitation ?? undefined,
    lastUsedAt: document.lastUsedAt ?? undefined,
    usageToday: usageOn(nowMs, document.usageRank),
    ban: document.ban ?? undefined,
    // A key can be older than a window.
    epochs: { ...NO_RESETS, ...document.epochs },
  };
}
