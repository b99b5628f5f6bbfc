import type { Request, RequestHandler, Response } from 'express';
import type { Config } from '../../config/config.js';
import { signedInBy, type SessionParts } from '../../http/steps/authenticate-session.js';
import {
  requireDashboardAddress,
  requireOrigin,
  requireOriginOfRead,
} from '../../http/steps/dashboard-address.js';
import { endWith } from '../../http/answers/end-with.js';
import { exactPath } from '../../http/steps/exact-paths.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import { loggedAddress } from '../../lib/logged-address.js';
import { rateLimitError } from '../../lib/rate-limit-error.js';
import { setDashboardHeaders, setSignInHeaders } from '../../http/answers/rate-limit-headers.js';
import { assertJsonBody, jsonOf, readBody } from '../../http/steps/read-body.js';
import { clearSessionCookie, readSessionCookie, setSessionCookie } from '../../http/steps/session-cookie.js';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import { inTime } from '../../lib/in-time.js';
import type { Logger } from '../../lib/logger.js';
import type { ClientLimiter } from '../../features/limiter/client-limiter.js';
import type { Caller } from '../../features/keys/caller.js';
import { browserNameOf } from '../../features/keys/sessions/browser-name.js';
import { csrfTokenOf } from '../../features/keys/sessions/session-token.js';
import type { SessionsService, SignedIn } from '../../features/keys/sessions/sessions-service.js';
import { admit, answerMethods, notSignedIn, type AnswerParts } from './answer-methods.js';

export interface SessionRoutesParts extends SessionParts, AnswerParts {
  sessions: SessionsService;
  signIns: ClientLimiter;
  config: Pick<Config, 'publicUrl' | 'requestLog' | 'plansNote'>;
  log: Logger;
}

const SESSION = '/dashboard/session';

/** `/dashboard/session`: POST signs in with a key or a link, GET returns the session, DELETE signs out. */
export function sessionRoutes(parts: SessionRoutesParts): RequestHandler {
  return exactPath(
    SESSION,
    answerMethods({ POST: signIn, GET: tellWho, HEAD: tellWho, DELETE: signOut }, parts),
  );
}

async function signIn(req: Request, res: Response, parts: SessionRoutesParts): Promise<void> {
  const { sessions, config } = parts;
  const address = requireDashboardAddress(req, config.publicUrl);
  // Before the attempt counts: a page of another origin must not use up its visitors' attempts.
  requireOrigin(req, address);
  const caller = await attemptSignIn(req, res, parts);
  admit(res, caller, parts);
  const browser = browserNameOf(req.get('User-Agent'));
  const earlierToken = readSessionCookie(req, address);
  const signedIn = await inTime(sessions.open(caller, { earlierToken, browser }));
  setSessionCookie(res, address, signedIn.token);
  res.statusCode = 201;
  sendSession(res, signedIn, signedIn.token, config);
}

/**
 * Identifies the caller by the key, or the token of a link, in the body. Denied attempts count. While the body is being received, the
 * attempt also counts. Once the client's limit for the minute is used up, no key is checked, so that guessing stops.
 * @throws ApiError rate_limit_exceeded; as readBody, readCredential, SessionsService.identify and redeemLink
 */
async function attemptSignIn(
  req: Request,
  res: Response,
  { sessions, signIns, config, clock, log }: SessionRoutesParts,
): Promise<Caller> {
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
    const credential = readCredential(req);
    return await ('apiKey' in credential
      ? sessions.identify(credential.apiKey)
      : inTime(sessions.redeemLink(credential.linkToken)));
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
  sendSession(res, signedIn, cookie, parts.config);
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

function sendSession(
  res: Response,
  { session, caller: { key } }: SignedIn,
  token: string,
  { plansNote }: Pick<Config, 'plansNote'>,
): void {
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
      plansNote: plansNote ?? null,
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

type Credential = { apiKey: string } | { linkToken: string };

/**
 * The body has one of the two fields.
 * @throws ApiError invalid_request, unsupported_media_type
 */
function readCredential(req: Request): Credential {
  assertJsonBody(req);
  const body = jsonOf(req);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidRequest({ field: 'body', message: 'must be a JSON object' });
  const { apiKey, linkToken, ...others } = body;
  const faults = Object.keys(others).map((field) => ({ field, message: 'is not a known field' }));
  const isLink = linkToken !== undefined;
  if (isLink && apiKey !== undefined)
    faults.push({ field: 'linkToken', message: 'must be omitted if apiKey is given' });
  const [field, value] = isLink ? ['linkToken', linkToken] : ['apiKey', apiKey];
  if (typeof value !== 'string') {
    const message = value === undefined ? 'is required' : 'must be a string';
    throw invalidRequest([...faults, { field, message }]);
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return isLink ? { linkToken: value } : { apiKey: value };
}
