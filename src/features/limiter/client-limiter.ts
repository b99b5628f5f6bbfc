import { LRUCache } from 'lru-cache';
import { atMost } from '../../lib/at-most.js';
import { MINUTE_MS, type Clock } from '../../lib/clock.js';

export interface ClientState {
  limit: number;
  remaining: number;
  resetAtMs: number;
}

export interface ClientLimiter {
  /** Counts a request of a client; `admitted` is false when its minute has less left. Refusals are not counted. */
  charge(client: string, cost?: number): ClientState & { admitted: boolean };
  /** Undoes a charge whose request was refused for another reason; nothing once its minute is over. */
  refund(client: string, cost: number): void;
  /** Adds what another process admitted, or takes back what it took back: beyond the limit where both admitted. */
  count(client: string, cost: number): void;
  peek(client: string): ClientState;
}

/** The clients remembered at most: the least recently seen one is forgotten first. */
const MAX_CLIENTS = 20_000;

/**
 * A minute's limit for each client, in bounded memory and never in a store: for clients without a valid key, who must
 * not be able to cost anything shared, and for the share of each client in a browser key. The minute begins with a
 * client's first request.
 */
export function createClientLimiter(limit: number, clock: Clock): ClientLimiter {
  const clients = new LRUCache<string, { used: number; resetAtMs: number }>(atMost(MAX_CLIENTS));

  const begin = () => ({ used: 0, resetAtMs: clock() + MINUTE_MS });
  const live = (client: string) => {
    const seen = clients.get(client);
    const leftMs = (seen?.resetAtMs ?? 0) - clock();
    // More than a minute: the clock was set back since.
    return leftMs > 0 && leftMs <= MINUTE_MS ? seen : undefined;
  };
  const state = ({ used, resetAtMs }: { used: number; resetAtMs: number }): ClientState => ({
    limit,
    remaining: Math.max(0, limit - used),
    resetAtMs,
  });

  function liveOrBegun(client: string): { used: number; resetAtMs: number } {
    let counted = live(client);
    if (counted === undefined) clients.set(client, (counted = begin()));
    return counted;
  }

  return {
    charge(client, cost = 1) {
      const counted = liveOrBegun(client);
      const admitted = counted.used + cost <= limit;
      if (admitted) counted.used += cost;
      return { ...state(counted), admitted };
    },
    refund(client, cost) {
      const counted = live(client);
      if (counted !== undefined) counted.used = Math.max(0, counted.used - cost);
    },
    count(client, cost) {
      const counted = liveOrBegun(client);
      counted.used = Math.max(0, counted.used + cost);
    },
    peek: (client) => state(live(client) ?? begin()),
  };
}
