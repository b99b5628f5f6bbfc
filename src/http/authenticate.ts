import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator } from '../api-keys/authenticator.js';
import type { KeyUses } from '../api-keys/key-uses.js';
import type { Clock } from '../lib/clock.js';
import { ApiError } from '../lib/errors.js';
import type { ClientLimiter } from '../quotas/client-limiter.js';
import { exchangeOf } from './exchange.js';
import { setAnonymousHeaders } from './rate-limit-headers.js';

export interface AuthenticateParts {
  authenticator: Authenticator;
  anonymous: ClientLimiter;
  keyUses: KeyUses;
  clock: Clock;
}

/** RFC 6750 section 2.1; the scheme is case-insensitive (RFC 9110 section 11.1). */
const BEARER = /^bearer +(\S+) *$/i;
/** Far above any key: what is longer is not worth hashing. */
const MAX_SECRET_LENGTH = 512;

/**
 * Finds out who calls, from exactly one `Authorization: Bearer` header. Who cannot is counted against the client's
 * anonymous limit and learns nothing else, not even whether the path exists.
 */
export function authenticate({
  authenticator,
  anonymous,
  keyUses,
  clock,
}: AuthenticateParts): RequestHandler {
  function asStranger(res: Response, error: ApiError): ApiError {
    const state = anonymous.charge(exchangeOf(res).client);
    setAnonymousHeaders(res, state, clock());
    if (!state.admitted) return tooManyStrangers(state.limit, state.resetAtMs - clock());
    if (error.status === 401)
      res.setHeader(
        'WWW-Authenticate',
        error.code === 'missing_api_key' ? 'Bearer' : 'Bearer error="invalid_token"',
      );
    return error;
  }

  return async (req, res, next) => {
    const credentials = authorizationOf(req);
    if (credentials instanceof ApiError) throw asStranger(res, credentials);
    try {
      const caller = await authenticator.authenticate(credentials);
      exchangeOf(res).caller = caller;
      keyUses.note(caller.key.id, clock());
    } catch (error) {
      throw error instanceof ApiError && error.status === 401 ? asStranger(res, error) : error;
    }
    next();
  };
}

function authorizationOf(req: Request): string | ApiError {
  // Node keeps only the first of two Authorization headers; which one a proxy kept cannot be known.
  const values = req.headersDistinct['authorization'] ?? [];
  if (values.length > 1)
    return new ApiError('invalid_request', 'The Authorization header was sent more than once.');
  const [value] = values;
  if (value === undefined || !/^bearer\b/i.test(value))
    return new ApiError('missing_api_key', 'An API key is required: Authorization: Bearer <API_KEY>.');
  const secret = BEARER.exec(value)?.[1];
  return secret === undefined || secret.length > MAX_SECRET_LENGTH
    ? new ApiError('invalid_api_key', 'The Authorization header does not hold an API key.')
    : secret;
}

function tooManyStrangers(limit: number, resetMs: number): ApiError {
  const retryAfterSeconds = Math.max(1, Math.ceil(resetMs / 1000));
  return new ApiError(
    'rate_limit_exceeded',
    `More than ${limit} requests a minute without a valid API key. Retry in ${retryAfterSeconds} s.`,
    { retryAfterSeconds, details: { window: 'anonymous', limit, cost: 1 } },
  );
}
