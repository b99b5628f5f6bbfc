import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
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
