import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import { SECOND_MS, type Clock } from '../../lib/clock.js';
import type { Refusal } from '../limiter/limiter.js';

/** Time for the client to receive a rejection and its Retry-After. Requests within it are not strikes. */
const GRACE_MS = SECOND_MS;
const MAX_KEYS = 50_000;

interface SentRejection {
  answeredAtMs: number;
  retryAtMs: number;
  lastStrikeMs: number;
}

/** Decides which rejections are strikes: a client knows when to retry, and sends a request before then. */
export interface Strikes {
  /** Returns true if this rejection is a strike. Counts at most one strike per second and key. */
  observe(keyId: string, refusal: Refusal): boolean;
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
          lastStrikeMs: -Infinity,
        });
        return false;
      }
      if (nowMs - earlier.answeredAtMs <= GRACE_MS || nowMs - earlier.lastStrikeMs < SECOND_MS) return false;
      earlier.lastStrikeMs = nowMs;
      return true;
    },
  };
}
