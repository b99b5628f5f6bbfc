import type { Request, RequestHandler, Response } from 'express';
import type { Config } from '../../config/config.js';
import { signedInBy, type SessionParts } from '../../http/steps/authenticate-session.js';
import {
  requireDashboardAddress,
  requireOrigin,
  requireOriginOfRead,
} from '../../http/steps/dashboard-address.js';
import { endWith } from '../../http/answers/end-with.js';
import { compose } from '../../http/steps/compose.js';
import { exactPath } from '../../http/steps/exact-paths.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import { loggedAddress } from '../../lib/logged-address.js';
import { rateLimitError } from '../../lib/rate-limit-error.js';
import { chargeSessionsOf } from '../../http/steps/enforce-quota.js';
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
import type { Invited, SessionsService, SignedIn } from '../../features/keys/sessions/sessions-service.js';
import { admit, answerMethods, notSignedIn, type AnswerParts } from './answer-methods.js';

export interface SessionRoutesParts extends SessionParts, AnswerParts {
  sessions: SessionsService;
  signIns: ClientLimiter;
  config: Pick<Config, 'publicUrl' | 'requestLog' | 'plansNote'>;
  log: Logger;
}

const SESSION = '/dashboard/session';
const INVITATION = '/dashboard/invitation';

/**
 * `/dashboard/session`: POST signs in with a key, a link or an invitation, GET returns the session, DELETE signs out.
 * `/dashboard/invitation`: POST returns who an invitation is for, and leaves it open.
 */
export function sessionRoutes(parts: SessionRoutesParts): RequestHandler {
  return compose(
    exactPath(SESSION, answerMethods({ POST: signIn, GET: tellWho, HEAD: tellWho, DELETE: signOut }, parts)),
    exactPath(INVITATION, answerMethods({ POST: tellInvited }, parts)),
  );
}

async function signIn(req: Request, res: Response, parts: SessionRoutesParts): Promise<void> {
  const { sessions, config } = parts;
  const address = requireDashboardAddress(req, config.publicUrl);
  // Before the attempt counts: a page of another origin must not use up its visitors' attempts.
  requireOrigin(req, address);
  const { caller, secret } = await attempt(req, res, parts, () => identify(req, res, parts));
  admit(res, caller, parts);
  const browser = browserNameOf(req.get('User-Agent'));
  const earlierToken = readSessionCookie(req, address);
  const signedIn = await inTime(sessions.open(caller, { earlierToken, browser }));
  setSessionCookie(res, address, signedIn.token);
  res.statusCode = 201;
  sendSession(res, signedIn, signedIn.token, config, secret);
}

/**
 * Returns whom an invitation is for, and charges the limit of the sessions of the person's key. So an invitation ends
 * only if the session can begin: the secret that it gives is shown once.
 * @throws ApiError rate_limit_exceeded; as SessionsService.findInvited
 */
async function findInvited(invitation: string, res: Response, parts: SessionRoutesParts): Promise<Invited> {
  const invited = await inTime(parts.sessions.findInvited(invitation));
  chargeSessionsOf(invited.key.id, res, 1, parts);
  return invited;
}

/** Shows a person whom an invitation is for, before the person accepts it. */
async function tellInvited(req: Request, res: Response, parts: SessionRoutesParts): Promise<void> {
  requireOrigin(req, requireDashboardAddress(req, parts.config.publicUrl));
  const { key, project } = await attempt(req, res, parts, () =>
    findInvited(readField(req, ['invitation']).value, res, parts),
  );
  res.setHeader('Content-Type', 'application/json');
  endWith(
    res,
    JSON.stringify({
      name: key.name,
      projectName: project.name,
      expiresAt: key.invitation?.expiresAt.toISOString() ?? null,
    }),
  );
}

/**
 * Receives the body, and runs what needs a key, a link or an invitation in it. Denied attempts count. While the body is
 * being received, the attempt also counts. Once the client's limit for the minute is used up, nothing is checked, so that
 * guessing stops.
 * @throws ApiError rate_limit_exceeded; as readBody and `run`
 */
async function attempt<T>(
  req: Request,
  res: Response,
  { signIns, config, clock, log }: SessionRoutesParts,
  run: () => Promise<T>,
): Promise<T> {
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
    return await run();
  } catch (error) {
    // A person beyond the limit of the key's sessions has a right invitation.
    isRefused = error instanceof ApiError && error.status < 500 && error.code !== 'rate_limit_exceeded';
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

/** @param apiKey the secret of a person who accepted an invitation: shown only here */
function sendSession(
  res: Response,
  { session, caller: { key } }: SignedIn,
  token: string,
  { plansNote }: Pick<Config, 'plansNote'>,
  apiKey?: string,
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
      apiKey,
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

/** The caller that signs in, and the secret that it got by accepting an invitation. */
interface Identified {
  caller: Caller;
  secret?: string;
}

/** @throws ApiError as readField, findInvited, SessionsService.identify, redeemLink and acceptInvitation */
async function identify(req: Request, res: Response, parts: SessionRoutesParts): Promise<Identified> {
  const { sessions } = parts;
  const { field, value } = readField(req, ['apiKey', 'linkToken', 'invitation']);
  switch (field) {
    case 'apiKey':
      return { caller: await sessions.identify(value) };
    case 'linkToken':
      return { caller: await inTime(sessions.redeemLink(value)) };
    case 'invitation':
      await findInvited(value, res, parts);
      return inTime(sessions.acceptInvitation(value));
  }
}

/**
 * The body has one of the fields.
 * @throws ApiError invalid_request, unsupported_media_type
 */
function readField<Field extends string>(
  req: Request,
  fields: readonly [Field, ...Field[]],
): { field: Field; value: string } {
  assertJsonBody(req);
  const body = jsonOf(req);
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalidRequest({ field: 'body', message: 'must be a JSON object' });
  const given = fields.filter((name) => body[name] !== undefined);
  const [field = fields[0], ...others] = given;
  const faults = [
    ...Object.keys(body)
      .filter((name) => !fields.some((known) => known === name))
      .map((name) => ({ field: name, message: 'is not a known field' })),
    ...others.map((name) => ({ field: name, message: `must be omitted if ${field} is given` })),
  ];
  const value = body[field];
  if (typeof value !== 'string') {
    const message = value === undefined ? 'is required' : 'must be a string';
    throw invalidRequest([...faults, { field, message }]);
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return { field, value };
}
