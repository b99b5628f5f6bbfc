import type { Request, Response } from 'express';
import { ApiError } from '../../lib/errors.js';
import { LONGEST_SESSION_SECONDS } from '../../features/keys/sessions/session.js';
import type { DashboardAddress } from './dashboard-address.js';

/**
 * Returns the value of the session cookie, or undefined if the client did not send it.
 * @throws ApiError invalid_request if the client sent it more than once: the gateway cannot know which of them it set
 */
export function readSessionCookie(req: Request, address: DashboardAddress): string | undefined {
  const prefix = `${nameOf(address)}=`;
  const values = (req.headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix));
  if (values.length > 1)
    throw new ApiError(
      'invalid_request',
      'The session cookie was sent more than once: clear the cookies of this site and sign in again.',
    );
  return values[0]?.slice(prefix.length);
}

export function setSessionCookie(res: Response, address: DashboardAddress, token: string): void {
  setCookie(res, address, token, LONGEST_SESSION_SECONDS);
}

export function clearSessionCookie(res: Response, address: DashboardAddress): void {
  setCookie(res, address, '', 0);
}

function setCookie(res: Response, address: DashboardAddress, value: string, maxAgeSeconds: number): void {
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Strict'];
  if (address.isSecure) attributes.push('Secure');
  res.setHeader('Set-Cookie', [`${nameOf(address)}=${value}`, ...attributes].join('; '));
}

/**
 * With the `__Host-` prefix, browsers accept the cookie only from this host, over HTTPS, for every path (RFC 6265bis
 * 4.1.3.2).
 */
function nameOf({ isSecure }: DashboardAddress): string {
  return isSecure ? '__Host-pets-session' : 'pets-session';
}
