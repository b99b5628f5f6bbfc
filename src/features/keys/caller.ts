import type { Project } from '../projects/project.js';
import { LIMITS, quotaOfPlan } from '../plans/plans.js';
import { WINDOW_NAMES, type Meter } from '../plans/window.js';
import { stateOf, type ApiKey } from './api-key.js';

/** The authenticated identity of a request: a key, its project, and its meter. Created once per key lookup. */
export interface Caller {
  key: ApiKey;
  /** Undefined for an admin key. */
  project: Project | undefined;
  meter: Meter;
  /** The hash of the secret that the caller proved to have. */
  secretHash: string;
  /** Set if the caller proved it by signing in to the dashboard. */
  session?: CallerSession;
  /** Set if rejections do not count towards a ban. */
  hasNoStrikes?: boolean;
}

/** A dashboard session, as it was found in the store. */
export interface CallerSession {
  tokenHash: string;
  /** When the store was asked for it, on performance.now(). */
  foundAtMs: number;
}

export function createCaller(
  key: ApiKey,
  project: Project | undefined,
  adminRequestsPerMinute: number,
  secretHash: string,
): Caller {
  return { key, project, meter: meterOf(key, project, adminRequestsPerMinute), secretHash };
}

export function meterOf(
  { id, epochs }: Pick<ApiKey, 'id' | 'epochs'>,
  project: Project | undefined,
  adminRequestsPerMinute: number,
): Meter {
  if (project === undefined)
    return { id, windows: [{ name: 'minute', limit: adminRequestsPerMinute, epoch: epochs.minute }] };
  const quota = quotaOfPlan(project);
  return {
    id,
    windows: WINDOW_NAMES.map((name) => ({ name, limit: quota[LIMITS[name]], epoch: epochs[name] })),
  };
}

/** Whether the caller's secret works now: the key is active, and the secret has not expired after a rotation. */
export function isUsable({ key, secretHash }: Pick<Caller, 'key' | 'secretHash'>, nowMs: number): boolean {
  if (stateOf(key, nowMs) !== 'active') return false;
  const secret = key.secrets.find(({ hash }) => hash === secretHash);
  return secret !== undefined && (secret.expiresAt === undefined || secret.expiresAt.getTime() > nowMs);
}
