import type { Project } from '../projects/project.js';
import type { BanPolicy } from '../plans/ban.js';
import type { WindowName } from '../plans/window.js';
import type { PlanId } from '../plans/plans.js';
import type { ApiKey, ApiKeyRole, ApiKeySecret, ApiKeyState, Invitation } from './api-key.js';

/** The use of a key, collected for one write. */
export interface KeyUse {
  keyId: string;
  lastUsedAt: Date;
  /** The day window as last seen; undefined if the key was only authenticated, or has no such window. */
  day?: { startsAtMs: number; used: number; epoch: number } | undefined;
  /** The UTC day, if the key came near a limit on it. */
  nearLimitDay?: string | undefined;
  /** The UTC day, if a request with the key got 429 on it. */
  rejectedDay?: string | undefined;
}

export interface ApiKeysFilter {
  projectId?: string | undefined;
  plan?: PlanId | undefined;
  role?: ApiKeyRole | undefined;
  state?: ApiKeyState | undefined;
  banned?: boolean | undefined;
  /** On the current UTC day, at least the share NEAR_LIMIT of a window was used: of the day, or of any minute. */
  nearLimit?: boolean | undefined;
  /** Whether a request with the key got 429 on the current UTC day. */
  rejectedToday?: boolean | undefined;
  /** Whether requests of the current UTC day are counted. */
  usedToday?: boolean | undefined;
  /** Part of the name, case-insensitive. */
  nameContains?: string | undefined;
}

export const API_KEY_ORDERS = ['createdAt', 'lastUsedAt', 'usageToday'] as const;
export type ApiKeyOrder = (typeof API_KEY_ORDERS)[number];

export interface ApiKeysQuery {
  first: number;
  filter: ApiKeysFilter;
  /** createdAt: oldest first; lastUsedAt: latest first; usageToday: highest first. */
  orderBy: ApiKeyOrder;
  /** A cursor that `page` returned for the same order. */
  after?: string | undefined;
  nowMs: number;
}

/** The properties of a key that can change; those that are undefined stay. */
export interface KeyProperties {
  name?: string | undefined;
  /** Null: the key never expires. */
  expiresAt?: Date | null | undefined;
  allowedOrigins?: readonly string[] | undefined;
}

export interface ApiKeysPage {
  entries: { key: ApiKey; cursor: string }[];
  hasMore: boolean;
}

/** Stores keys. Changes use majority writes and return the key after the change, or undefined if it does not exist. */
export interface ApiKeysStore {
  /** Returns false and changes nothing if a key with this id exists. */
  insert(key: ApiKey, plan: PlanId | undefined): Promise<boolean>;
  get(id: string): Promise<ApiKey | undefined>;
  /**
   * Like `get`, and serializes transactions: of a transaction that locks the key and another change of the key, the
   * later one restarts after the earlier one. Does not appear in the change feed, because it does not affect requests.
   * Restarts the transaction while another one has claimed the key; ends its own claim.
   * @param claim of this transaction
   */
  lock(id: string, claim?: string): Promise<ApiKey | undefined>;
  /**
   * Lets a transaction that restarted come first: others that lock the key restart until this one ends, for at most
   * CLAIM_MS. Waits for those under way. Does nothing while another transaction has claimed the key. Call it at the start
   * of a transaction, before its first operation: it is not a part of it.
   */
  claim(id: string, claim: string): Promise<void>;
  /** Restarts the transaction while another one has claimed the key. */
  requireUnclaimed(id: string, claim?: string): Promise<void>;
  /** Returns the keys that exist, in no particular order. */
  getMany(ids: readonly string[]): Promise<ApiKey[]>;
  /**
   * Returns the key with this secret, and its project, read from the primary. Includes revoked and expired keys, but no
   * keys of deleted projects.
   */
  findBySecretHash(hash: string): Promise<{ key: ApiKey; project: Project | undefined } | undefined>;
  list(filter: { projectId?: string }): Promise<ApiKey[]>;
  /** Indexes serve filters and orders. @throws ApiError invalid_request for a cursor that it did not return */
  page(query: ApiKeysQuery): Promise<ApiKeysPage>;
  /**
   * The number of keys of each of these projects that are neither revoked nor expired; projects without such keys are
   * missing. Disabled keys count, because they can be enabled at any time. Exact within a transaction that has locked
   * the project.
   */
  countActive(projectIds: readonly string[], nowMs: number): Promise<Map<string, number>>;
  /** The number of keys of a project, in any state, created after `since`. */
  countCreated(projectId: string, since: Date): Promise<number>;
  /** Sets the plan that lists filter by. Quotas depend on the project itself. */
  setPlan(projectId: string, plan: PlanId): Promise<void>;
  /**
   * Limits the older secrets to `oldExpireAt` at the latest, and drops the oldest beyond MAX_LIVING_SECRETS. Also
   * returns undefined if the key is revoked or expired, or is a staff key.
   */
  addSecret(id: string, secret: ApiKeySecret, oldExpireAt: Date): Promise<ApiKey | undefined>;
  /**
   * Ends all secrets of a staff key at `at`, and adds this one. `invitation` replaces an earlier invitation. Also returns
   * undefined if the key is no staff key, or is revoked or expired.
   */
  invite(id: string, secret: ApiKeySecret, invitation: Invitation, at: Date): Promise<ApiKey | undefined>;
  /**
   * Like `invite`, and ends the invitation with this token, if it is open at `at`. Of any number of calls at the same time,
   * one gets the key; also returns undefined for the others.
   */
  acceptInvitation(
    id: string,
    secret: ApiKeySecret,
    tokenHash: string,
    at: Date,
  ): Promise<ApiKey | undefined>;
  /** Changes these properties and keeps the others. Also returns undefined if the key is revoked. */
  update(id: string, changes: KeyProperties): Promise<ApiKey | undefined>;
  /** Keeps the time at which the key was disabled first. Also returns undefined if the key is revoked. */
  disable(id: string, at: Date): Promise<ApiKey | undefined>;
  /** Also returns undefined if the key is revoked. */
  enable(id: string): Promise<ApiKey | undefined>;
  /** Keeps the first revocation time. */
  revoke(id: string, at: Date): Promise<ApiKey | undefined>;
  raiseEpochs(id: string, windows: readonly WindowName[]): Promise<ApiKey | undefined>;
  /** Starts the next ban of the day; leaves a current ban unchanged. */
  ban(
    id: string,
    nowMs: number,
    policy: Pick<BanPolicy, 'banSeconds' | 'maxBanSeconds'>,
  ): Promise<ApiKey | undefined>;
  /** Ends a current ban; the day's offences stay. */
  liftBan(id: string, at: Date): Promise<ApiKey | undefined>;
  /** Removes the keys of a deleted project. */
  remove(ids: readonly string[]): Promise<void>;
  /**
   * Does not appear in the change feed, because a use does not affect requests. Drops counts from before a reset of the
   * day, and whether they were near the limit, because their epoch is outdated.
   */
  recordUse(uses: readonly KeyUse[]): Promise<void>;
}
