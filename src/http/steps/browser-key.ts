import type { RequestHandler, Response } from 'express';
import { isLoopback } from '../../lib/loopback.js';
import { ApiError } from '../../lib/errors.js';
import type { Clock } from '../../lib/clock.js';
import type { ClientLimiter, ClientState } from '../../features/limiter/client-limiter.js';
import { callerOf, requestContextOf } from './request-context.js';
import { rateLimitError } from '../../lib/rate-limit-error.js';
import { withNoun } from '../../lib/with-noun.js';
import { setShareHeaders } from '../answers/rate-limit-headers.js';

/** Origins of a key that an error names. */
const MOST_NAMED = 10;
/** Longest origin that an error repeats, in characters: a scheme, a host name and a port. */
const LONGEST_ORIGIN = 270;

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
    if (key.role === 'browser' && (origin === undefined || !isAllowed(origin, key.allowedOrigins))) {
      const share = takeShare(res, 1, parts);
      if (share !== undefined) setShareHeaders(res, share.state, parts.clock());
      throw otherOrigin(origin, key.allowedOrigins);
    }
    next();
  };
}

/** Whether a browser key works from an origin. All names of this machine, `localhost` and its addresses, are one host. */
function isAllowed(origin: string, allowed: readonly string[]): boolean {
  if (allowed.includes(origin)) return true;
  const local = loopbackOf(origin);
  return local !== undefined && allowed.some((one) => loopbackOf(one) === local);
}

/** Returns the scheme and port of an origin at this machine, or undefined for every other text. */
function loopbackOf(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const { origin, protocol, hostname, port } = new URL(text);
  return origin === text && isLoopback(hostname) ? `${protocol}${port}` : undefined;
}

/** The key is valid and public, so the error may name its origins. */
function otherOrigin(origin: string | undefined, allowed: readonly string[]): ApiError {
  const allowedOrigins = allowed.slice(0, MOST_NAMED);
  const named = `${allowedOrigins.join(', ')}${allowed.length > MOST_NAMED ? ', …' : ''}`;
  if (origin === undefined)
    return new ApiError(
      'forbidden',
      `A browser key works only from pages of its origins (${named}), and the request has no Origin header. Use a server key in other programs.`,
      { details: { allowedOrigins } },
    );
  const shown = origin.slice(0, LONGEST_ORIGIN);
  return new ApiError(
    'forbidden',
    `This browser key does not allow the origin ${shown}. It allows ${named}.`,
    { details: { origin: shown, allowedOrigins } },
  );
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
  return { state, refund };
}

/**
 * Charges a request with a browser key 1, before its body is read: the key is public, and everybody could begin requests
 * that are never complete. The unit counts towards the cost of the request.
 * @throws ApiError rate_limit_exceeded
 */
export function payFirst(parts: BrowserKeyParts): RequestHandler {
  return (_req, res, next) => {
    takeShare(res, 1, parts);
    next();
  };
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
      `This request costs ${cost}, and one client may spend ${limit} a minute with this browser key. Split the request.`,
      { details: { window: 'client', limit, cost } },
    );
  const sentence = `One client may send ${withNoun(limit, 'request')} a minute with this browser key.`;
  return rateLimitError('client', share, { cost, nowMs, sentence });
}
