import type { Request, RequestHandler, Response } from 'express';
import type { Authenticator } from '../../features/keys/authenticator.js';
import type { Caller } from '../../features/keys/caller.js';
import type { Recorder } from '../../features/usage/recorder.js';
import type { Clock } from '../../lib/clock.js';
import { ApiError } from '../../lib/errors.js';
import type { ClientLimiter } from '../../features/limiter/client-limiter.js';
import { requestContextOf, type RequestContext } from './request-context.js';
import { rateLimitError } from '../../lib/rate-limit-error.js';
import { withNoun } from '../../lib/with-noun.js';
import { setAnonymousHeaders } from '../answers/rate-limit-headers.js';

export interface UnauthenticatedParts {
  anonymous: ClientLimiter;
  clock: Clock;
}

export interface AuthenticateParts extends UnauthenticatedParts {
  authenticator: Authenticator;
  recorder: Pick<Recorder, 'noteUse'>;
}

/** RFC 6750 section 2.1; the scheme is case-insensitive (RFC 9110 section 11.1). */
const BEARER = /^bearer +(\S+) *$/i;
/** Where clients of other APIs put their key. */
const OTHER_SCHEMES = ['Basic', 'Digest', 'Token', 'ApiKey', 'Api-Key', 'Key', 'Negotiate', 'OAuth'];
const OTHER_HEADERS = ['X-API-Key', 'X-Api-Token', 'X-Auth-Token', 'Api-Key', 'ApiKey'];
const OTHER_PARAMETERS = ['api_key', 'apikey', 'apiKey', 'api-key', 'key', 'access_token', 'token'];

/**
 * Identifies the caller from exactly one `Authorization: Bearer` header. A client that cannot be identified is counted
 * against its anonymous limit and learns nothing else, not even whether the path exists. Without an Authorization
 * header, `bySession` returns the signed-in caller. Beyond the limit, no value is compared with ADMIN_API_KEY, unless it
 * has the form of the keys, which nobody can guess.
 */
export function authenticate(
  parts: AuthenticateParts,
  bySession?: (req: Request) => Promise<Caller | undefined>,
): RequestHandler {
  const { anonymous, authenticator, recorder, clock } = parts;

  async function signedInCaller(req: Request, context: RequestContext): Promise<Caller> {
    const caller = await bySession?.(req);
    if (caller === undefined) throw noKey(req);
    context.isBySession = true;
    return caller;
  }

  return async (req, res, next) => {
    const context = requestContextOf(res);
    try {
      const secret = secretOf(req);
      const caller =
        secret === undefined
          ? await signedInCaller(req, context)
          : await authenticator.authenticate(secret, () => anonymous.peek(context.client).remaining > 0);
      context.caller = caller;
      recorder.noteUse(caller.key.id, clock());
    } catch (error) {
      throw error instanceof ApiError && error.status < 500 ? asUnauthenticated(res, error, parts) : error;
    }
    next();
  };
}

/**
 * Counts a denied client against its anonymous limit, sets the rate limit headers, and returns the error to answer
 * with: `error`, or 429 if the limit is used up.
 */
export function asUnauthenticated(
  res: Response,
  error: ApiError,
  { anonymous, clock }: UnauthenticatedParts,
): ApiError {
  const state = anonymous.charge(requestContextOf(res).client);
  setAnonymousHeaders(res, state, clock());
  if (!state.admitted) {
    const sentence = `More than ${withNoun(state.limit, 'request')} a minute without a valid API key.`;
    return rateLimitError('anonymous', state, { cost: 1, nowMs: clock(), sentence });
  }
  setChallenge(res, error);
  return error;
}

/**
 * Sets the WWW-Authenticate header of a 401 (RFC 9110 section 15.5.2, RFC 6750 section 3). Does nothing for other
 * statuses.
 */
export function setChallenge(res: Response, { status, code }: ApiError): void {
  if (status === 401)
    res.setHeader('WWW-Authenticate', code === 'missing_api_key' ? 'Bearer' : 'Bearer error="invalid_token"');
}

/**
 * Returns undefined without an Authorization header. @throws ApiError invalid_request, missing_api_key, invalid_api_key
 */
function secretOf(req: Request): string | undefined {
  // Node keeps only the first of two Authorization headers, and the gateway cannot know which of them a proxy kept.
  const [value, second] = req.headersDistinct['authorization'] ?? [];
  if (value === undefined) return undefined;
  if (second !== undefined)
    throw new ApiError('invalid_request', 'The Authorization header was sent more than once. Send it once.');
  if (!/^bearer\b/i.test(value)) throw noKey(req);
  const sent = BEARER.exec(value)?.[1];
  if (sent === undefined)
    throw new ApiError(
      'invalid_api_key',
      'The Authorization header must be the word Bearer, a space and one API key.',
    );
  return sent;
}

/** Names what the client sent in place of a bearer token, but never a value, which could be the key. */
function noKey(req: Request): ApiError {
  const received = receivedInstead(req);
  return new ApiError(
    'missing_api_key',
    `An API key is required. Send the header Authorization: Bearer <API_KEY>.${received === undefined ? '' : ` ${received}`}`,
  );
}

function receivedInstead({ headers, originalUrl }: Request): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) {
    if (!authorization.includes(' '))
      return 'Received an Authorization header without a scheme: put the word Bearer and a space before the key.';
    const sent = authorization.toLowerCase();
    const scheme = OTHER_SCHEMES.find((name) => sent.startsWith(`${name.toLowerCase()} `));
    return `Received ${scheme === undefined ? 'another scheme' : `the scheme ${scheme}`} in the Authorization header.`;
  }
  const header = OTHER_HEADERS.find((name) => headers[name.toLowerCase()] !== undefined);
  if (header !== undefined) return `Received the header ${header}, which the gateway does not read.`;
  const query = new URLSearchParams(/\?.*/.exec(originalUrl)?.[0]);
  const parameter = OTHER_PARAMETERS.find((name) => query.has(name));
  return parameter === undefined
    ? undefined
    : `Received the query parameter ${parameter}: the gateway reads no key there, because URLs end up in logs.`;
}

/**
 * Returns the caller of the request's key, or undefined without a key. Charges nothing and sets no header.
 * @throws ApiError as `authenticate`
 */
export async function callerByKey(
  { authenticator, recorder, clock }: Omit<AuthenticateParts, 'anonymous'>,
  req: Request,
): Promise<Caller | undefined> {
  const secret = secretOf(req);
  const caller = secret === undefined ? undefined : await authenticator.authenticate(secret);
  if (caller !== undefined) recorder.noteUse(caller.key.id, clock());
  return caller;
}
