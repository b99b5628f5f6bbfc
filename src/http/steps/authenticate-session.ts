import type { Request } from 'express';
import type { Caller } from '../../features/keys/caller.js';
import { ApiError } from '../../lib/errors.js';
import { inTime } from '../../lib/in-time.js';
import { isCsrfTokenOf } from '../../features/keys/sessions/session-token.js';
import type { SessionsService, SignedIn } from '../../features/keys/sessions/sessions-service.js';
import { dashboardAddressOf, requireOrigin } from './dashboard-address.js';
import { pathOf } from './request-context.js';
import { readSessionCookie } from './session-cookie.js';
import { findRestPath, type RestOperationId } from '../versioning/rest-operations.js';

export interface SessionParts {
  sessions: Pick<SessionsService, 'find'>;
  config: { publicUrl: string | undefined };
}

/**
 * Returns the signed-in caller of a request that may change something, or undefined without a session cookie. The
 * cookie alone is not enough, because a browser sends it with requests of any page. The checks that need no look-up
 * come first.
 * @throws ApiError forbidden without the dashboard's Origin and the session's X-CSRF-Token; invalid_api_key;
 * invalid_request
 */
export async function signedInBy(
  req: Request,
  { sessions, config: { publicUrl } }: SessionParts,
): Promise<SignedIn | undefined> {
  const address = dashboardAddressOf(req, publicUrl);
  if (address === undefined) return undefined;
  const cookie = readSessionCookie(req, address);
  if (cookie === undefined) return undefined;
  requireOrigin(req, address);
  const csrfToken = req.get('X-CSRF-Token');
  if (csrfToken === undefined)
    throw new ApiError(
      'forbidden',
      'The X-CSRF-Token header is missing. GET /dashboard/session returns its value.',
    );
  if (!isCsrfTokenOf(cookie, csrfToken))
    throw new ApiError(
      'forbidden',
      "X-CSRF-Token is not this session's. GET /dashboard/session returns the right value.",
      {
        details: { header: 'X-CSRF-Token' },
      },
    );
  return inTime(sessions.find(cookie));
}

const UPLOADS: ReadonlySet<RestOperationId | undefined> = new Set([
  'uploadDeploy',
  'uploadPetsImport',
] as const);

/**
 * Returns a function that finds the caller of a dashboard request to the operator's own host: GraphQL by POST, site
 * archives and files of imports by PUT. All other paths, `/v1` included, accept keys only. The result is undefined if nobody is signed in or
 * the request is neither of the two.
 * @throws ApiError as signedInBy
 */
export function callerBySession(parts: SessionParts): (req: Request) => Promise<Caller | undefined> {
  return async (req) => {
    const path = pathOf(req);
    const isOfDashboard =
      (req.method === 'POST' && path === '/graphql') ||
      UPLOADS.has(findRestPath(path)?.operations.get(req.method));
    return isOfDashboard ? (await signedInBy(req, parts))?.caller : undefined;
  };
}
