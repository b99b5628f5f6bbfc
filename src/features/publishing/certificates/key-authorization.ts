import type { AccountKey } from './account-key.js';

/** base64url of at least 128 bits (RFC 8555, 8.3). */
const TOKEN = /^[A-Za-z0-9_-]{22,256}$/;

/**
 * What `http://<domain>/.well-known/acme-challenge/<token>` answers (RFC 8555, 8.1). It needs the account's key and
 * nothing of the order, so that every gateway can answer every challenge.
 * @returns undefined when no CA can have made this token
 */
export function keyAuthorization(
  token: string,
  { thumbprint }: Pick<AccountKey, 'thumbprint'>,
): string | undefined {
  return TOKEN.test(token) ? `${token}.${thumbprint}` : undefined;
}
