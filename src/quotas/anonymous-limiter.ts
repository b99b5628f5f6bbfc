import { LRUCache } from 'lru-cache';
import { MINUTE_MS, type Clock } from '../lib/clock.js';

export interface AnonymousState {
  limit: number;
  remaining: number;
  resetAtMs: number;
}

export interface AnonymousLimiter {
  /** Counts one request of a client; `admitted` is false once its minute is used up. Refusals are not counted. */
  charge(client: string): AnonymousState & { admitted: boolean };
  peek(client: string): AnonymousState;
}

/** The clients remembered at most: the least recently seen one is forgotten first. */
const MAX_CLIENTS = 20_000;

/**
 * A minute's limit for each client without a valid key, in bounded memory and never in a store: strangers must not
 * be able to cost anything shared. The minute begins with a client's first request.
 */
export function createAnonymousLimiter(limit: number, clock: Clock): AnonymousLimiter {
  const clients = new LRUCache<string, { used: number; resetAtMs: number }>({ max: MAX_CLIENTS });

  const begin = () => ({ used: 0, resetAtMs: clock() + MINUTE_MS });
  const live = (client: string) => {
    const seen = clients.get(client);
    return seen !== undefined && seen.resetAtMs > clock() ? seen : undefined;
  };
  const state = ({ used, resetAtMs }: { used: number; resetAtMs: number }): AnonymousState => ({
    limit,
    remaining: limit - used,
    resetAtMs,
  });

  return {
    charge(client) {
      let counted = live(client);
      if (counted === undefined) clients.set(client, (counted = begin()));
      const admitted = counted.used < limit;
      if (admitted) counted.used += 1;
      return { ...state(counted), admitted };
    },
    peek: (client) => state(live(client) ?? begin()),
  };
}
