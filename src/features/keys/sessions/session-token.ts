import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { sha256 } from '../../../lib/sha256.js';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The cookie value: 256 random bits in base64url. */
export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Whether the text can be a token. Other texts are rejected without a lookup. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The stored form of a token. */
export function hashToken(token: string): string {
  return sha256(token, 'base64url');
}

/**
 * The token that a page of the dashboard sends in addition to the cookie. It is derived from the session's token, so it
 * belongs to no other session and is not stored. The session's token cannot be derived from it.
 */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}

/** Compares in constant time. */
export function isCsrfTokenOf(token: string, given: string): boolean {
  const expected = Buffer.from(csrfTokenOf(token));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

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
