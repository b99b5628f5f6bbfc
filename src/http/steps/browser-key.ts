import type { RequestHandler, Response } from 'express';
import { ApiError } from '../../lib/errors.js';
import type { Clock } from '../../lib/clock.js';
import type { ClientLimiter, ClientState } from '../../features/limiter/client-limiter.js';
import { callerOf, requestContextOf } from './request-context.js';
import { rateLimitError } from '../../lib/rate-limit-error.js';
import { setShareHeaders } from '../answers/rate-limit-headers.js';

export interface BrowserKeyParts {
  browserShares: ClientLimiter;
  clock: Clock;
}

/**
 * Restricts a browser key, which is public in a page: it works from the pages of its project only, and each client that
 * uses it there has a share of it. Browsers send `Origin` truthfully, other programs need not; the share limits those.
 *
 * A request from another origin spends no quota of the key and reads no store, so that a foreign page cannot use up a
 * shop's quota.
 * @throws ApiError forbidden; rate_limit_exceeded
 */
export function requireOwnPage(parts: BrowserKeyParts): RequestHandler {
  return (req, res, next) => {
    const { key } = callerOf(res);
    const { origin } = req.headers;
    if (key.role === 'browser' && (origin === undefined || !key.allowedOrigins.includes(origin))) {
      const share = takeShare(res, 1, parts);
      if (share !== undefined) setShareHeaders(res, share.state, parts.clock());
      throw new ApiError(
        'forbidden',
        origin === undefined
          ? 'This is a browser key: it needs an Origin header, which browsers send.'
          : 'This browser key may not be used from this origin.',
      );
    }
    next();
  };
}

/**
 * Charges a request with a browser key to the client's share; returns undefined for every other key. Units that the
 * request has already taken count towards `cost`. `refund` returns the units taken by this call.
 * @throws ApiError rate_limit_exceeded; query_too_costly if `cost` exceeds the limit of a share
 */
export function takeShare(
  res: Response,
  cost: number,
  { browserShares, clock }: BrowserKeyParts,
): { state: ClientState; refund: () => void } | undefined {
  const client = clientOfBrowserKey(res);
  if (client === undefined) return undefined;
  const context = requestContextOf(res);
  const { taken = 0 } = context;
  const { admitted, ...state } = browserShares.charge(client, cost - taken);
  if (!admitted) {
    setShareHeaders(res, state, clock());
    throw overShare(state, cost, clock());
  }
  context.taken = cost;
  const refund = () => {
    browserShares.refund(client, cost - taken);
    context.taken = taken;
  };
  return { state, refund: refund };
}

/** Returns the state of the client's share of its browser key, or undefined for every other key. */
export function shareOf(
  res: Response,
  { browserShares }: Pick<BrowserKeyParts, 'browserShares'>,
): ClientState | undefined {
  const client = clientOfBrowserKey(res);
  return client === undefined ? undefined : browserShares.peek(client);
}

/** Returns the id of one client of a browser key, or undefined for every other key. */
export function clientOfBrowserKey(res: Response): string | undefined {
  const { caller, client } = requestContextOf(res);
  return caller?.key.role === 'browser' ? `${caller.key.id} ${client}` : undefined;
}

function overShare(share: ClientState, cost: number, nowMs: number): ApiError {
  const { limit } = share;
  if (cost > limit)
    return new ApiError(
      'query_too_costly',
      `This request costs ${cost}, more than the ${limit} a minute that one client has of this browser key. Split it.`,
      { details: { window: 'client', limit, cost } },
    );
  const sentence = `One client may send ${limit} requests a minute with this browser key.`;
  return rateLimitError('client', share, { cost, nowMs, sentence });
}
