import type { Clock } from '../../../lib/clock.js';
import { inTime } from '../../../lib/in-time.js';
import { createTurns, inTurn } from '../../../lib/turns.js';
import { rateLimitError } from '../../../lib/rate-limit-error.js';
import { withNoun } from '../../../lib/with-noun.js';
import type { ClientLimiter } from '../../limiter/client-limiter.js';

/**
 * Reads from the stores who has a host. `look` resolves with undefined if nobody has or had the host: that costs
 * `client` one request of its anonymous limit. Without a client, or if anything is found, it costs nothing.
 *
 * At most 8 look-ups of a process are in progress at once. Further ones wait for 2 s. A look-up that the database does
 * not answer in time fails and ends its turn, because new connections may work before the driver gives up the old one.
 *
 * @throws ApiError rate_limit_exceeded, at once and without a look-up, if the client has used up its limit
 * @throws ApiError service_unavailable if no turn comes, or the look-up is not in time; errors of `look`. Neither costs the client anything
 */
export type HostLookUps = <T>(
  look: () => Promise<T | undefined>,
  client: string | undefined,
) => Promise<T | undefined>;

export interface HostLookUpsParts {
  anonymous: Pick<ClientLimiter, 'charge' | 'refund'>;
  clock: Clock;
}

/** Leaves most connections of the driver's pool to requests with a key. */
const MAX_AT_ONCE = 8;
const MAX_WAIT_MS = 2000;

export function createHostLookUps({ anonymous, clock }: HostLookUpsParts): HostLookUps {
  const turns = createTurns(MAX_AT_ONCE, MAX_WAIT_MS);

  const lookInTurn = <T>(look: () => Promise<T>): Promise<T> =>
    inTurn(turns, 'all', 'Too many hosts are being looked up at the moment.', () => inTime(look()));

  /** The client pays before the look-up, so that concurrent look-ups cannot exceed its limit. */
  function charge(client: string): void {
    const state = anonymous.charge(client);
    if (state.admitted) return;
    const sentence = `More than ${withNoun(state.limit, 'request')} a minute without a valid API key or for unknown hosts.`;
    throw rateLimitError('anonymous', state, { cost: 1, nowMs: clock(), sentence });
  }

  return (look, client) => {
    if (client === undefined) return lookInTurn(look);
    charge(client);
    const refund = () => anonymous.refund(client, 1);
    const found = lookInTurn(look);
    return found.then(
      (value) => {
        if (value !== undefined) refund();
        return value;
      },
      (error: unknown) => {
        refund();
        throw error;
      },
    );
  };
}
