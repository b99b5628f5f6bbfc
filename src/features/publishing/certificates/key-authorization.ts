import type { AccountKey } from './account-key.js';

/** base64url of at least 128 bits (RFC 8555, 8.3). */
const TOKEN = /^[A-Za-z0-9_-]{22,256}$/;

/**
 * The response body for `http://<domain>/.well-known/acme-challenge/<token>` (RFC 8555, 8.1). It depends on the account
 * key but not on the order, so every gateway process can answer every challenge.
 * @returns undefined if no CA can have made this token
 */
export function keyAuthorization(
  token: string,
  { thumbprint }: Pick<AccountKey, 'thumbprint'>,
): string | undefined {
  return TOKEN.test(token) ? `${token}.${thumbprint}` : undefined;
}
