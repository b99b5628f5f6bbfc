import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const TOKEN_BYTES = 32;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** What the cookie holds: 256 random bits, in base64url. */
export function createToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Whether this can be a token at all: what cannot is told without a look-up. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** What is stored. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/**
 * What a page of ours sends beside the cookie. It follows from the session's token, so that it is of no other session
 * and is stored nowhere; who has it does not know the token.
 */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('csrf').digest('base64url');
}

/** In constant time. */
export function isCsrfTokenOf(token: string, given: string): boolean {
  const expected = Buffer.from(csrfTokenOf(token));
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
