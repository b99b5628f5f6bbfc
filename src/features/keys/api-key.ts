import type { Ban } from '../plans/ban.js';
import type { WindowName } from '../plans/window.js';

export const API_KEY_ROLES = ['browser', 'server', 'staff', 'owner', 'admin'] as const;
export type ApiKeyRole = (typeof API_KEY_ROLES)[number];

export const API_KEY_STATES = ['active', 'disabled', 'expired', 'revoked'] as const;
export type ApiKeyState = (typeof API_KEY_STATES)[number];

/** One secret of a key. Rotation adds a secret, and the old one stays valid for the overlap. */
export interface ApiKeySecret {
  hash: string;
  start: string;
  /** Undefined for the newest. */
  expiresAt?: Date | undefined;
}

/**
 * How many secrets of a key work at the same time: the newest and those that overlap with it. A further rotation
 * expires the oldest at once. It is not rejected, because an operator who lost a secret must always be able to rotate.
 */
export const MAX_LIVING_SECRETS = 3;

/** The open invitation of a person. Only the hash of its token is stored. */
export interface Invitation {
  tokenHash: string;
  expiresAt: Date;
}

export interface ApiKey {
  id: string;
  name: string;
  role: ApiKeyRole;
  /** Undefined only for an admin key. */
  projectId?: string | undefined;
  /** Oldest first; the last one is current. */
  secrets: readonly ApiKeySecret[];
  allowedOrigins: readonly string[];
  createdAt: Date;
  expiresAt?: Date | undefined;
  revokedAt?: Date | undefined;
  /** Set while the key is disabled. Enabling it removes the time. */
  disabledAt?: Date | undefined;
  /** Only of a staff key, until the person accepts: then nobody knows a secret of the key. See invitation.ts. */
  invitation?: Invitation | undefined;
  /** Written in batches, see features/usage/recorder.ts. */
  lastUsedAt?: Date | undefined;
  /** Requests of the current UTC day, as of the last batch. */
  usageToday: number;
  ban?: Ban | undefined;
  /** Incremented by a reset of the window, see plans/window.ts. */
  epochs: Readonly<Record<WindowName, number>>;
}

/** A key that is disabled and has expired is expired: enabling it would not be enough. */
export function stateOf(
  key: Pick<ApiKey, 'revokedAt' | 'expiresAt' | 'disabledAt'>,
  nowMs: number,
): ApiKeyState {
  if (key.revokedAt !== undefined) return 'revoked';
  if (key.expiresAt !== undefined && key.expiresAt.getTime() <= nowMs) return 'expired';
  return key.disabledAt === undefined ? 'active' : 'disabled';
}
