import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../lib/clock.js';
import { QuotaStoreError, type Limiter } from './limiter.js';
import type { Meter } from './window.js';

export interface OutageSettings {
  /** Gateways × workers that share the store: each admits its part of a limit while the store is down. */
  shares: number;
  /** How long a store call may take before the store counts as down, milliseconds. */
  callTimeoutMs: number;
  /** How long the store is left alone after a failure, milliseconds. */
  retryMs: number;
  onOutage: (error: unknown) => void;
  onRecovery: () => void;
}

/**
 * Keeps admitting while the quota store is down, under this process's part of each limit, counted in memory: never
 * unlimited, never an error. A small breaker keeps requests from waiting for a store that has just failed.
 */
export function createOutageLimiter(
  primary: Limiter,
  local: Limiter,
  { shares, callTimeoutMs, retryMs, onOutage, onRecovery }: OutageSettings,
  clock: Clock,
): Limiter {
  let down = false;
  let askAgainAtMs = 0;

  async function guard<T>(ask: () => Promise<T>, instead: () => Promise<T>): Promise<T> {
    if (down && clock() < askAgainAtMs) return instead();
    // One request at a time tries a store that is down.
    if (down) askAgainAtMs = clock() + retryMs;
    try {
      const answer = await withTimeout(ask(), callTimeoutMs);
      if (down) {
        down = false;
        onRecovery();
      }
      return answer;
    } catch (error) {
      if (!(error instanceof QuotaStoreError)) throw error;
      askAgainAtMs = clock() + retryMs;
      if (!down) {
        down = true;
        onOutage(error);
      }
      return instead();
    }
  }
  /** At least 1, so that a small limit is not shut; a cost above the part is refused as any other. */
  const part = (meter: Meter): Meter => ({
    id: meter.id,
    windows: meter.windows.map((w) => ({ ...w, limit: Math.max(1, Math.floor(w.limit / shares)) })),
  });

  return {
    charge: (meter, cost) =>
      guard(
        () => primary.charge(meter, cost),
        () => local.charge(part(meter), cost),
      ),
    remembered: (meter, cost) =>
      primary.remembered(meter, cost) ?? (down ? local.remembered(part(meter), cost) : undefined),
    peek: (meter) =>
      guard(
        () => primary.peek(meter),
        () => local.peek(part(meter)),
      ),
    peekMany: (meters) =>
      guard(
        () => primary.peekMany(meters),
        () => local.peekMany(meters.map(part)),
      ),
  };
}

async function withTimeout<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  const cancel = new AbortController();
  const late = sleep(timeoutMs, undefined, { signal: cancel.signal, ref: false }).then(
    () => Promise.reject(new QuotaStoreError(new Error(`no answer within ${timeoutMs} ms`))),
    () => answer,
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    cancel.abort();
  }
}
