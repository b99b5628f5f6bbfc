import type { ClientLimiter } from './client-limiter.js';

/**
 * A limit that several processes of one gateway keep together: each counts in its own memory and notifies the others
 * what it admitted. What is under way between them may be admitted beyond the limit.
 */
export function withBroadcast(
  limiter: ClientLimiter,
  broadcast: (client: string, cost: number) => void,
): ClientLimiter {
  return {
    ...limiter,
    charge(client, cost = 1) {
      const state = limiter.charge(client, cost);
      if (state.admitted && cost > 0) broadcast(client, cost);
      return state;
    },
    refund(client, cost) {
      limiter.refund(client, cost);
      if (cost > 0) broadcast(client, -cost);
    },
  };
}
