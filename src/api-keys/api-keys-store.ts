import type { Project } from '../projects/project.js';
import type { BanPolicy } from '../quotas/ban.js';
import type { WindowName } from '../quotas/window.js';
import type { ApiKey, ApiKeySecret } from './api-key.js';

/** When keys were last used, gathered for one write. */
export interface KeyUse {
  keyId: string;
  lastUsedAt: Date;
}

/**
 * Where keys are kept. Changes are majority writes and answer with the key as it is after them, or undefined
 * when there is no such key.
 */
export interface ApiKeysStore {
  /** Resolves to false, changing nothing, when a key with this id exists. */
  insert(key: ApiKey): Promise<boolean>;
  get(id: string): Promise<ApiKey | undefined>;
  /** The key that has this secret, with its project, read from the primary. Revoked and expired keys too. */
  findBySecretHash(hash: string): Promise<{ key: ApiKey; project: Project | undefined } | undefined>;
  list(filter: { projectId?: string }): Promise<ApiKey[]>;
  /** Gives the older secrets at most until `oldExpireAt`. Undefined also when the key is revoked. */
  addSecret(id: string, secret: ApiKeySecret, oldExpireAt: Date): Promise<ApiKey | undefined>;
  /** Keeps the first time of revocation. */
  revoke(id: string, at: Date): Promise<ApiKey | undefined>;
  raiseEpochs(id: string, windows: readonly WindowName[]): Promise<ApiKey | undefined>;
  /** Begins the next ban of the day; a ban that is running is left alone. */
  ban(id: string, nowMs: number, policy: BanPolicy): Promise<ApiKey | undefined>;
  /** Ends a running ban; the day's offences stay. */
  liftBan(id: string, at: Date): Promise<ApiKey | undefined>;
  /** Not seen by watchers: a use changes nothing that a request depends on. */
  recordUse(uses: readonly KeyUse[]): Promise<void>;
}

/** What changed somewhere, so that caches forget it. */
export type KeyChange = { keyId: string } | { projectId: string };
