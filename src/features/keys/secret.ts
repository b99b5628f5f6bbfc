import { timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { sha256 } from '../../lib/sha256.js';
import { BASE_62, randomBase62 } from '../../lib/random-id.js';

export type AppEnvironment = 'production' | 'staging';

const PREFIX: Record<AppEnvironment, string> = { production: 'pets_live_', staging: 'pets_test_' };
/** 32 base-62 characters are 190 bits of randomness. */
const RANDOM_LENGTH = 32;
/** Six base-62 characters hold a CRC-32. */
const CHECKSUM_LENGTH = 6;
const START_LENGTH = 4;
const BODY = new RegExp(`^[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** Creates an API key as its owner sees it, once: prefix, random part, checksum. */
export function createSecret(environment: AppEnvironment): string {
  const text = PREFIX[environment] + randomBase62(RANDOM_LENGTH);
  return text + checksum(text);
}

/**
 * Whether this can be a key of this environment. Detects a typo, a truncated paste or a key of the other environment
 * without a lookup. The checksum provides no security.
 */
export function isWellFormed(secret: string, environment: AppEnvironment): boolean {
  const prefix = PREFIX[environment];
  if (!secret.startsWith(prefix) || !BODY.test(secret.slice(prefix.length))) return false;
  return checksum(secret.slice(0, -CHECKSUM_LENGTH)) === secret.slice(-CHECKSUM_LENGTH);
}

/** Says why a secret is not well-formed, without a part of it beyond its prefix. */
export function faultOfSecret(secret: string, environment: AppEnvironment): string {
  const prefix = PREFIX[environment];
  if (secret.startsWith(prefix))
    return 'it is mistyped or incomplete, because its checksum does not match. Copy the whole key again.';
  const other = Object.values(PREFIX).find((known) => secret.startsWith(known));
  return other === undefined
    ? `keys of this gateway start with ${prefix}. Check that a variable or placeholder was replaced by the key, without quotation marks.`
    : `it starts with ${other}, and keys of this gateway start with ${prefix}. Use a key that this gateway created.`;
}

/** The stored form of a secret. One SHA-256 is enough for 190 random bits; a slow hash would only slow the gateway. */
export function hashSecret(secret: string): string {
  return sha256(secret, 'base64url');
}

/** Compares two results of hashSecret in constant time. Even without it, hashes of guesses would reveal little. */
export function isSameHash(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** The part by which people recognize a key: `pets_live_AbCd`. */
export function startOf(secret: string, environment: AppEnvironment): string {
  return secret.slice(0, PREFIX[environment].length + START_LENGTH);
}

function checksum(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE_62.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}
