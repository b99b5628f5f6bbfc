import type { Project } from '../projects/project.js';
import { LIMITS, quotaOfPlan } from '../plans/plans.js';
import { WINDOW_NAMES, type Meter } from '../plans/window.js';
import { ApiError } from '../../lib/errors.js';
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

/**
 * Requires that the caller's secret works now: the key is active, and the secret has not expired after a rotation.
 * @throws ApiError invalid_api_key
 */
export function requireUsable(
  caller: Pick<Caller, 'key' | 'secretHash'> | undefined,
  nowMs: number,
): asserts caller is Pick<Caller, 'key' | 'secretHash'> {
  if (caller === undefined) throw invalidApiKey();
  const { key, secretHash } = caller;
  const state = stateOf(key, nowMs);
  const secret = key.secrets.find(({ hash }) => hash === secretHash);
  const works =
    secret !== undefined && (secret.expiresAt === undefined || secret.expiresAt.getTime() > nowMs);
  if (!works || state === 'revoked' || state === 'expired') throw invalidApiKey();
  if (state === 'disabled') throw keyDisabled();
}

/** @param why continues the message */
export function invalidApiKey(why = 'unknown, expired or revoked.'): ApiError {
  return new ApiError('invalid_api_key', `The API key is not valid: ${why}`);
}

/** Only a client that has a secret of the key learns that the key is disabled. */
function keyDisabled(): ApiError {
  return new ApiError(
    'invalid_api_key',
    'The API key is disabled. It works again when an owner of its project or an admin enables it. Keep the key.',
    { details: { reason: 'disabled' } },
  );
}
