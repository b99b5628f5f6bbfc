import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import { SECOND_MS, unixSecond, type Clock } from '../../lib/clock.js';
import type { ApiKey } from '../keys/api-key.js';
import { CONFIGURED_ADMIN_KEY_ID } from '../keys/authenticator.js';
import type { BanPolicy } from '../plans/ban.js';
import type { RejectedDecision } from '../limiter/limiter.js';

/** Time for the client to receive a rejection and its Retry-After. Requests within it are not early. */
const GRACE_MS = SECOND_MS;
/** How long the strikes of a key, as the store last gave them, describe the key. */
const COUNT_IS_CURRENT_MS = 5 * SECOND_MS;
const MAX_KEYS = 50_000;

interface SentRejection {
  answeredAtMs: number;
  retryAtMs: number;
  lastEarlySecond: number;
  strikes: number;
  strikesAtMs: number;
}

export type StrikableKey = Pick<ApiKey, 'id' | 'role'>;

/** A browser key is public, so anyone could get it banned. The configured admin key has no record to store a ban in. */
export function getsStrikes({ id, role }: StrikableKey): boolean {
  return role !== 'browser' && id !== CONFIGURED_ADMIN_KEY_ID;
}

/** How many more strikes ban a key that has this many. */
export function strikesLeft({ strikes }: Pick<BanPolicy, 'strikes'>, count: number): number {
  return strikes + 1 - count;
}

/** Finds early retries: a client knows when to retry, and sends a request before then. The store finds the strikes. */
export interface Strikes {
  /**
   * Returns true if this rejection answers an early retry. Counts at most one for each key and second of the clock, like
   * the store: a client that comes more often than once a second has one in each second, whatever its pauses are.
   */
  observe(keyId: string, refusal: RejectedDecision): boolean;
  /** Notes how many strikes the key has, as the store counts them. */
  note(keyId: string, strikes: number): void;
  /** Returns the strikes of a key that is retrying too early now, as last noted; 0 if it has none or stopped. */
  current(keyId: string): number;
}

/**
 * Each process remembers the rejections that it sent itself: a client is only bound by the Retry-After that it
 * received.
 */
export function createStrikes(clock: Clock): Strikes {
  const sent = new LRUCache<string, SentRejection>(atMost(MAX_KEYS));
  return {
    observe(keyId, refusal) {
      // A costly request rejected while a cheaper one would pass is an error in size, not a sign of ignoring
      // Retry-After.
      if (refusal.windows.every((window) => window.remaining > 0)) return false;
      const nowMs = clock();
      const earlier = sent.get(keyId);
      const wasSetBack = earlier !== undefined && nowMs < earlier.answeredAtMs;
      if (earlier === undefined || wasSetBack || nowMs >= earlier.retryAtMs) {
        sent.set(keyId, {
          answeredAtMs: nowMs,
          retryAtMs: nowMs + refusal.retryAfterMs,
          lastEarlySecond: -Infinity,
          strikes: 0,
          strikesAtMs: -Infinity,
        });
        return false;
      }
      const second = unixSecond(nowMs);
      if (nowMs - earlier.answeredAtMs <= GRACE_MS || second === earlier.lastEarlySecond) return false;
      earlier.lastEarlySecond = second;
      return true;
    },
    note(keyId, strikes) {
      const rejection = sent.get(keyId);
      if (rejection === undefined) return;
      rejection.strikes = strikes;
      rejection.strikesAtMs = clock();
    },
    current(keyId) {
      const rejection = sent.get(keyId);
      if (rejection === undefined || clock() - rejection.strikesAtMs > COUNT_IS_CURRENT_MS) return 0;
      return rejection.strikes;
    },
  };
}
