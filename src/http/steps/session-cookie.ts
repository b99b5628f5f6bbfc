import type { Request, Response } from 'express';
import { ApiError } from '../../lib/errors.js';
import { LONGEST_SESSION_SECONDS } from '../../features/keys/sessions/session.js';
import type { DashboardAddress } from './dashboard-address.js';

/**
 * What the cookie of this name holds; undefined when it was not sent.
 * @throws ApiError invalid_request when it was sent more than once: which one is ours cannot be known
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

/** With the prefix browsers take it from this very host alone, over HTTPS alone, for every path (RFC 6265bis 4.1.3.2). */
function nameOf({ isSecure }: DashboardAddress): string {
  return isSecure ? '__Host-pets-session' : 'pets-session';
}
