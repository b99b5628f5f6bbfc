import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../features/keys/caller.js';
import type { KeyUses } from '../../features/keys/key-uses.js';
import type { Config } from '../../config/config.js';
import { signedInBy, type SessionParts } from '../../http/steps/authenticate-session.js';
import { asUnauthenticated, setChallenge, type UnauthenticatedParts } from '../../http/steps/authenticate.js';
import {
  requireDashboardAddress,
  requireOrigin,
  requireOriginOfRead,
} from '../../http/steps/dashboard-address.js';
import { endWith } from '../../http/answers/end-with.js';
import { chargeSession } from '../../http/steps/enforce-quota.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import { compose } from '../../http/steps/compose.js';
import { loggedAddress } from '../../lib/logged-address.js';
import { otherMethods } from '../../http/steps/other-methods.js';
import { rateLimitError } from '../../lib/rate-limit-error.js';
import { setDashboardHeaders, setSignInHeaders } from '../../http/answers/rate-limit-headers.js';
import { assertJsonBody, jsonOf, readBody } from '../../http/steps/read-body.js';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../../http/steps/session-cookie.js';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import { inTime } from '../../lib/in-time.js';
import type { Logger } from '../../lib/logger.js';
import type { ClientLimiter } from '../../features/limiter/client-limiter.js';
import { csrfTokenOf } from '../../features/keys/sessions/session-token.js';
import type { SessionsService, SignedIn } from '../../features/keys/sessions/sessions-service.js';

export interface SessionRoutesParts extends SessionParts, UnauthenticatedParts {
  sessions: SessionsService;
  signIns: ClientLimiter;
  dashboardRequests: ClientLimiter;
  keyUses: KeyUses;
  config: Pick<Config, 'publicUrl' | 'requestLog'>;
  log: Logger;
}

type Answer = (req: Request, res: Response, parts: SessionRoutesParts) => Promise<void>;

const ANSWERS: Readonly<Record<string, Answer>> = {
  POST: signIn,
  GET: tellWho,
  HEAD: tellWho,
  DELETE: signOut,
};
const answerOtherMethod = otherMethods([...Object.keys(ANSWERS), 'OPTIONS'].join(', '));

/** `/dashboard/session`: POST signs in with a key, GET returns the session, DELETE signs out. */
export function sessionRoutes(parts: SessionRoutesParts): RequestHandler {
  return compose(keepNothing, answerSession(parts));
}

const keepNothing: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  next();
};

function answerSession(parts: SessionRoutesParts): RequestHandler {
  return async (req, res, next) => {
    try {
      const answer = ANSWERS[req.method];
      await (answer === undefined ? answerOtherMethod(req, res, next) : answer(req, res, parts));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      // Nothing has been counted yet, and every denied client is counted.
      if (!res.hasHeader('X-RateLimit-Limit')) throw asUnauthenticated(res, error, parts);
      setChallenge(res, error);
      throw error;
    }
  };
}

async function signIn(req: Request, res: Response, parts: SessionRoutesParts): Promise<void> {
  const { sessions, config } = parts;
  const address = requireDashboardAddress(req, config.publicUrl);
  // Before the attempt counts: a page of another origin must not use up its visitors' attempts.
  requireOrigin(req, address);
  const { secret, caller } = await attemptSignIn(req, res, parts);
  admit(res, caller, parts);
  const signedIn = await inTime(sessions.open(caller, secret, readSessionCookie(req, address)));
  setSessionCookie(res, address, signedIn.token);
  res.statusCode = 201;
  sendSession(res, signedIn, signedIn.token);
}

/**
 * Identifies the caller by the key in the body. Attempts with a denied key count. While the body is being received, the
 * attempt also counts. Once the client's limit for the minute is used up, no key is checked, so that guessing stops.
 * @throws ApiError rate_limit_exceeded; as readBody, readApiKey and SessionsService.identify
 */
async function attemptSignIn(
  req: Request,
  res: Response,
  { sessions, signIns, config, clock, log }: SessionRoutesParts,
): Promise<{ secret: string; caller: Caller }> {
  const { client, requestId } = requestContextOf(res);
  const { admitted, ...state } = signIns.charge(client);
  setSignInHeaders(res, state, clock());
  if (!admitted) {
    const sentence = `More than ${state.limit} failed sign-in attempts within a minute. Until the limit resets, no key is accepted, not even a valid one.`;
    throw rateLimitError('signin', state, { cost: 1, nowMs: clock(), sentence });
  }
  let isRefused = false;
  try {
    assertJsonBody(req);
    await receiveBody(req, res);
    const secret = readApiKey(req);
    return { secret, caller: await sessions.identify(secret) };
  } catch (error) {
    isRefused = error instanceof ApiError && error.status < 500;
    if (isRefused)
      log.info(
        { requestId, client: loggedAddress(client, config.requestLog.addresses) },
        'dashboard sign-in rejected',
      );
    throw error;
  } finally {
    if (!isRefused) signIns.refund(client, 1);
  }
}

/**
 * Returns the session and its CSRF token. The request must come from the dashboard's own page, and only that page can
 * read the response.
 */
async function tellWho(req: Request, res: Response, parts: SessionRoutesParts): Promise<void> {
  const address = requireDashboardAddress(req, parts.config.publicUrl);
  requireOriginOfRead(req, address);
  const cookie = readSessionCookie(req, address);
  if (cookie === undefined) throw notSignedIn();
  const signedIn = await inTime(parts.sessions.find(cookie));
  admit(res, signedIn.caller, parts);
  sendSession(res, signedIn, cookie);
}

/** Charges nothing, so that people can sign out when a limit is used up. */
async function signOut(req: Request, res: Response, parts: SessionRoutesParts): Promise<void> {
  const { sessions, dashboardRequests, config, clock } = parts;
  const address = requireDashboardAddress(req, config.publicUrl);
  const signedIn = await signedInBy(req, parts);
  if (signedIn === undefined) throw notSignedIn();
  await inTime(sessions.signOut(signedIn));
  clearSessionCookie(res, address);
  setDashboardHeaders(res, dashboardRequests.peek(signedIn.caller.key.id), clock());
  res.status(204).end();
}

/** @throws ApiError rate_limit_exceeded */
function admit(res: Response, caller: Caller, parts: SessionRoutesParts): void {
  Object.assign(requestContextOf(res), { caller, isBySession: true });
  parts.keyUses.note(caller.key.id, parts.clock());
  chargeSession(res, 1, parts);
}

function sendSession(res: Response, { session, caller: { key } }: SignedIn, token: string): void {
  res.setHeader('Content-Type', 'application/json');
  endWith(
    res,
    JSON.stringify({
      role: key.role,
      keyId: key.id,
      keyName: key.name,
      projectId: key.projectId ?? null,
      expiresAt: session.endsAt.toISOString(),
      csrfToken: csrfTokenOf(token),
    }),
  );
}

const readBytes = readBody();
/** Rejects with the error that `readBody` passes on. */
function receiveBody(req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passed on as it is
    void readBytes(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
}

/** @throws ApiError invalid_request, unsupported_media_type */
function readApiKey(req: Request): string {
  assertJsonBody(req);
  const body = jsonOf(req);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidRequest({ field: 'body', message: 'must be a JSON object' });
  const { apiKey, ...others } = body;
  const faults = Object.keys(others).map((field) => ({ field, message: 'is not a known field' }));
  if (typeof apiKey !== 'string') {
    const message = apiKey === undefined ? 'is required' : 'must be a string';
    throw invalidRequest([...faults, { field: 'apiKey', message }]);
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return apiKey;
}

function notSignedIn(): ApiError {
  return new ApiError('missing_api_key', 'You are not signed in. Sign in with an owner key or an admin key.');
}
