import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import { SECOND_MS, type Clock } from '../../lib/clock.js';
import type { Decision } from '../limiter/limiter.js';

/** A refusal teaches the client its Retry-After; a second later at the latest it should have heard. */
const GRACE_MS = SECOND_MS;
const MAX_KEYS = 50_000;

interface Told {
  answeredAtMs: number;
  retryAtMs: number;
  lastStrikeMs: number;
}

/** Tells which refusals are strikes: a client that was told when to retry and comes again before. */
export interface Strikes {
  /** True when this refusal is a strike. Counts it, at most one a second for a key. */
  observe(keyId: string, refusal: Decision & { admitted: false }): boolean;
}

/** Kept by each process for the refusals it answered itself: a client is only held to what it was told. */
export function createStrikes(clock: Clock): Strikes {
  const told = new LRUCache<string, Told>(atMost(MAX_KEYS));
  return {
    observe(keyId, refusal) {
      // A costly request refused while a cheaper one would pass is a mistake in size, not in manners.
      if (refusal.windows.every((window) => window.remaining > 0)) return false;
      const nowMs = clock();
      const earlier = told.get(keyId);
      const wasSetBack = earlier !== undefined && nowMs < earlier.answeredAtMs;
      if (earlier === undefined || wasSetBack || nowMs >= earlier.retryAtMs) {
        told.set(keyId, {
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
