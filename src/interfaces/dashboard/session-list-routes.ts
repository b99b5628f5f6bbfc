import type { Request, RequestHandler, Response } from 'express';
import { idOf } from '../../features/keys/sessions/session.js';
import type { SessionsService, SignedIn } from '../../features/keys/sessions/sessions-service.js';
import { endWith } from '../../http/answers/end-with.js';
import { signedInBy, type SessionParts } from '../../http/steps/authenticate-session.js';
import { requireDashboardAddress, requireOriginOfRead } from '../../http/steps/dashboard-address.js';
import { compose } from '../../http/steps/compose.js';
import { pathOf } from '../../http/steps/request-context.js';
import { readSessionCookie } from '../../http/steps/session-cookie.js';
import { badCursor } from '../../lib/cursor.js';
import { inTime } from '../../lib/in-time.js';
import { admit, answerMethods, notSignedIn, type AnswerParts } from './answer-methods.js';
import { exactPath } from '../../http/steps/exact-paths.js';

export interface SessionListParts extends SessionParts, AnswerParts {
  sessions: SessionsService;
}

const LIST = '/dashboard/sessions';
const ID = /^[0-9a-f]{32}$/;
const ONE = /^\/dashboard\/sessions\/([0-9a-f]{32})$/;

/**
 * The sessions of the signed-in key. `/dashboard/sessions`: GET lists them page by page, with `?after={id}`; DELETE ends
 * all except the session that asks. `/dashboard/sessions/{id}`: DELETE ends one.
 */
export function sessionListRoutes(parts: SessionListParts): RequestHandler {
  const answerOne = answerMethods({ DELETE: end }, parts);
  return compose(
    exactPath(LIST, answerMethods({ GET: list, HEAD: list, DELETE: endOthers }, parts)),
    (req, res, next) => (ONE.test(pathOf(req)) ? answerOne(req, res, next) : next()),
  );
}

async function list(req: Request, res: Response, parts: SessionListParts): Promise<void> {
  const { sessions, config } = parts;
  const address = requireDashboardAddress(req, config.publicUrl);
  requireOriginOfRead(req, address);
  const cookie = readSessionCookie(req, address);
  if (cookie === undefined) throw notSignedIn();
  const signedIn = await inTime(sessions.find(cookie));
  admit(res, signedIn.caller, parts);
  const page = await inTime(sessions.list(signedIn, afterOf(req)));
  sendJson(res, {
    sessions: page.sessions.map((session) => ({
      id: idOf(session),
      browser: session.browser ?? null,
      createdAt: session.createdAt.toISOString(),
      expiresAt: session.endsAt.toISOString(),
      isCurrent: session.tokenHash === signedIn.session.tokenHash,
    })),
    pageInfo: { hasNextPage: page.next !== undefined, endCursor: page.next ?? null },
  });
}

/** The id after which the page begins; undefined for the first page. @throws ApiError invalid_request */
function afterOf({ originalUrl }: Request): string | undefined {
  const [after, ...others] = new URLSearchParams(/\?.*/.exec(originalUrl)?.[0]).getAll('after');
  if (others.length > 0 || (after !== undefined && !ID.test(after))) throw badCursor();
  return after;
}

async function end(req: Request, res: Response, parts: SessionListParts): Promise<void> {
  const signedIn = await requireSignedIn(req, res, parts);
  await inTime(parts.sessions.end(signedIn, ONE.exec(pathOf(req))?.[1] ?? ''));
  res.status(204).end();
}

async function endOthers(req: Request, res: Response, parts: SessionListParts): Promise<void> {
  const signedIn = await requireSignedIn(req, res, parts);
  sendJson(res, { ended: await inTime(parts.sessions.endOthers(signedIn)) });
}

/** @throws ApiError as signedInBy and admit; missing_api_key */
async function requireSignedIn(req: Request, res: Response, parts: SessionListParts): Promise<SignedIn> {
  requireDashboardAddress(req, parts.config.publicUrl);
  const signedIn = await signedInBy(req, parts);
  if (signedIn === undefined) throw notSignedIn();
  admit(res, signedIn.caller, parts);
  return signedIn;
}

function sendJson(res: Response, body: unknown): void {
  res.setHeader('Content-Type', 'application/json');
  endWith(res, JSON.stringify(body));
}
