import type { ClientLimiter } from './client-limiter.js';

/**
 * A limit that several processes of one gateway keep together: each counts in its own memory and tells the others
 * what it admitted. What is under way between them may be admitted beyond the limit.
 */
export function withTeller(
  limiter: ClientLimiter,
  tell: (client: string, cost: number) => void,
): ClientLimiter {
  return {
    ...limiter,
    charge(client, cost = 1) {
      const state = limiter.charge(client, cost);
      if (state.admitted && cost > 0) tell(client, cost);
      return state;
    },
    giveBack(client, cost) {
      limiter.giveBack(client, cost);
      if (cost > 0) tell(client, -cost);
    },
  };
}
