import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts the hash of a secret, readable only with the session's token. A plain hash would let a reader of the
 * database check guesses at ADMIN_API_KEY, which a person may have made up.
 */
export function sealHash(secretHash: string, token: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, sealingKeyOf(token), iv);
  const sealed = Buffer.concat([cipher.update(secretHash, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** @throws Error if it was not sealed with this token */
export function openHash(sealedHash: string, token: string): string {
  const bytes = Buffer.from(sealedHash, 'base64url');
  const iv = bytes.subarray(0, IV_BYTES);
  const tag = bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv(ALGORITHM, sealingKeyOf(token), iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(tag);
  const sealed = bytes.subarray(IV_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
}

function sealingKeyOf(token: string): Buffer {
  return createHmac('sha256', token).update('secret hash').digest();
}
