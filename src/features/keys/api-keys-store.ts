import type { Project } from '../projects/project.js';
import type { BanPolicy } from '../plans/ban.js';
import type { WindowName } from '../plans/window.js';
import type { PlanId } from '../plans/plans.js';
import type { ApiKey, ApiKeyRole, ApiKeySecret, ApiKeyState } from './api-key.js';

/** What is known of a key's use, gathered for one write. */
export interface KeyUse {
  keyId: string;
  lastUsedAt: Date;
  /** Its day's window as last seen; undefined when it was only authenticated, or has no such window. */
  day?: { used: number; nearLimit: boolean; epoch: number } | undefined;
}

export interface ApiKeysFilter {
  projectId?: string | undefined;
  plan?: PlanId | undefined;
  role?: ApiKeyRole | undefined;
  state?: ApiKeyState | undefined;
  banned?: boolean | undefined;
  /** At least NEAR_LIMIT of the day's requests used. */
  nearLimit?: boolean | undefined;
  /** Part of the name, in any case. */
  nameContains?: string | undefined;
}

export const API_KEY_ORDERS = ['createdAt', 'lastUsedAt', 'usageToday'] as const;
export type ApiKeyOrder = (typeof API_KEY_ORDERS)[number];

export interface ApiKeysQuery {
  first: number;
  filter: ApiKeysFilter;
  /** createdAt: oldest first; lastUsedAt and usageToday: most first. */
  orderBy: ApiKeyOrder;
  /** A cursor that page gave out for the same order. */
  after?: string | undefined;
  nowMs: number;
}

export interface ApiKeysPage {
  entries: { key: ApiKey; cursor: string }[];
  hasMore: boolean;
}

/**
 * Where keys are kept. Changes are majority writes and answer with the key as it is after them, or undefined
 * when there is no such key.
 */
export interface ApiKeysStore {
  /** Resolves to false, changing nothing, when a key with this id exists. */
  insert(key: ApiKey, plan: PlanId | undefined): Promise<boolean>;
  get(id: string): Promise<ApiKey | undefined>;
  /** Those that exist, in no order. */
  getMany(ids: readonly string[]): Promise<ApiKey[]>;
  /**
   * The key that has this secret, with its project, read from the primary. Revoked and expired keys too, but none of a
   * deleted project.
   */
  findBySecretHash(hash: string): Promise<{ key: ApiKey; project: Project | undefined } | undefined>;
  list(filter: { projectId?: string }): Promise<ApiKey[]>;
  /** Filters and orders are served by indexes. @throws ApiError invalid_request for a cursor it never gave out */
  page(query: ApiKeysQuery): Promise<ApiKeysPage>;
  /**
   * The number of active keys of each of these projects; a project without one is missing. Exact within a transaction
   * that has locked the project.
   */
  countActive(projectIds: readonly string[], nowMs: number): Promise<Map<string, number>>;
  /** The number of keys of a project, in any state, created after `since`. */
  countCreated(projectId: string, since: Date): Promise<number>;
  /** What lists filter by; requests are limited by the project itself. */
  setPlan(projectId: string, plan: PlanId): Promise<void>;
  /**
   * Gives the older secrets at most until `oldExpireAt`, and drops the oldest beyond MAX_LIVING_SECRETS. Undefined also when the key is revoked. */
  addSecret(id: string, secret: ApiKeySecret, oldExpireAt: Date): Promise<ApiKey | undefined>;
  /** Keeps the first time of revocation. */
  revoke(id: string, at: Date): Promise<ApiKey | undefined>;
  raiseEpochs(id: string, windows: readonly WindowName[]): Promise<ApiKey | undefined>;
  /** Begins the next ban of the day; a ban that is running is left alone. */
  ban(id: string, nowMs: number, policy: BanPolicy): Promise<ApiKey | undefined>;
  /** Ends a running ban; the day's offences stay. */
  liftBan(id: string, at: Date): Promise<ApiKey | undefined>;
  /** Of a deleted project. */
  remove(ids: readonly string[]): Promise<void>;
  /**
   * Not seen by watchers: a use changes nothing that a request depends on. What was counted before a reset of the
   * day is dropped: its epoch has passed.
   */
  recordUse(uses: readonly KeyUse[]): Promise<void>;
}

/** What changed somewhere, so that caches forget it. */
export type KeyChange = { keyId: string } | { projectId: string };
