import { DAY_MS } from '../../lib/clock.js';
import { ApiError } from '../../lib/errors.js';
import { isSameHash } from './secret.js';
import { stateOf, type ApiKey } from './api-key.js';
import { createToken, hashToken } from './sessions/session-token.js';

/** Long enough for a volunteer who comes once a week. */
export const INVITATION_MS = 7 * DAY_MS;

/** The id of the key and the token: the key is found by its id, so the hash of the token needs no index. */
const INVITATION = /^(key_[0-9A-Za-z]{16})\.([A-Za-z0-9_-]{43})$/;

/** An invitation as its link has it, after the fragment's name. */
export interface NewInvitation {
  text: string;
  tokenHash: string;
  expiresAt: Date;
}

export function createInvitation(keyId: string, nowMs: number): NewInvitation {
  const token = createToken();
  return {
    text: `${keyId}.${token}`,
    tokenHash: hashToken(token),
    expiresAt: new Date(nowMs + INVITATION_MS),
  };
}

/** @throws ApiError invalid_api_key if the text cannot be an invitation */
export function parseInvitation(text: string): { keyId: string; tokenHash: string } {
  const [, keyId, token] = INVITATION.exec(text) ?? [];
  if (keyId === undefined || token === undefined) throw invitationOver();
  return { keyId, tokenHash: hashToken(token) };
}

/** Whether this is the key's invitation and the person can accept it now. Compares in constant time. */
export function isOpenInvitation(
  key: Pick<ApiKey, 'invitation' | 'disabledAt' | 'expiresAt' | 'revokedAt'>,
  tokenHash: string,
  nowMs: number,
): boolean {
  const { invitation } = key;
  if (invitation === undefined || stateOf(key, nowMs) !== 'active') return false;
  return isSameHash(invitation.tokenHash, tokenHash) && invitation.expiresAt.getTime() > nowMs;
}

export function invitationOver(): ApiError {
  return new ApiError(
    'invalid_api_key',
    'This invitation was used already, was replaced by a newer one, or has expired. Ask the owner of the project for a new one.',
  );
}
