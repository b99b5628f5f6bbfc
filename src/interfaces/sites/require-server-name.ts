import type { RequestHandler } from 'express';
import { hostOf } from '../../http/server/host-of.js';
import { misdirected } from './host-routing.js';
import { entranceOf, isConnectionFor } from '../../http/server/entrance.js';

/**
 * Over HTTPS, a request must be for the host of its connection: the client has verified that host's certificate (RFC
 * 9110 section 7.4).
 * @throws ApiError misdirected_request
 */
export function requireServerName(hstsSeconds: number): RequestHandler {
  return (req, res, next) => {
    if (entranceOf(req) === 'https') {
      const host = hostOf(req);
      if (host === undefined || !isConnectionFor(req, host)) throw misdirected();
      // RFC 6797. Not for subdomains, which may belong to others.
      if (hstsSeconds > 0) res.setHeader('Strict-Transport-Security', `max-age=${hstsSeconds}`);
    }
    next();
  };
}
