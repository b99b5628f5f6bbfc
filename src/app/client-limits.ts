import type { Config } from '../config/config.js';
import type { Clock } from '../lib/clock.js';
import type { Message, Bus, SharedLimit } from '../features/system/bus.js';
import { createClientLimiter, type ClientLimiter } from '../features/limiter/client-limiter.js';
import { withBroadcast } from '../features/limiter/shared-client-limiter.js';
import { FAILED_SIGN_INS_PER_MINUTE } from '../features/keys/sessions/session.js';

/** Limits per client and not per key. Counted in memory, by all processes of one gateway together. */
export interface ClientLimits extends Record<SharedLimit, ClientLimiter> {
  /** Requests of a client without a valid key. */
  anonymous: ClientLimiter;
  /** Requests of one client with one browser key. */
  browserShares: ClientLimiter;
  /** Failed attempts of a client to sign in to the dashboard. */
  signIns: ClientLimiter;
  /** Dashboard requests of all sessions of one key. */
  dashboardRequests: ClientLimiter;
}

export function createClientLimits(
  config: Config,
  bus: Pick<Bus, 'post'>,
  clock: Clock,
): {
  /** Limiters that also send each count to the other processes. */
  limits: ClientLimits;
  /** Adds a count from another process. */
  count: (message: Extract<Message, { about: SharedLimit }>) => void;
} {
  const own: ClientLimits = {
    anonymous: createClientLimiter(config.anonymousRequestsPerMinute, clock),
    browserShares: createClientLimiter(config.browserRequestsPerMinutePerIp, clock),
    signIns: createClientLimiter(FAILED_SIGN_INS_PER_MINUTE, clock),
    dashboardRequests: createClientLimiter(config.dashboardRequestsPerMinute, clock),
  };
  const shared = (about: SharedLimit) =>
    withBroadcast(own[about], (client, cost) => bus.post({ about, client, cost }));
  return {
    limits: {
      anonymous: shared('anonymous'),
      browserShares: shared('browserShares'),
      signIns: shared('signIns'),
      dashboardRequests: shared('dashboardRequests'),
    },
    count: ({ about, client, cost }) => own[about].count(client, cost),
  };
}
