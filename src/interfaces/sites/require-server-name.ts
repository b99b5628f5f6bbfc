import type { RequestHandler } from 'express';
import { hostOf } from '../../http/server/host-of.js';
import { misdirected } from './host-routing.js';
import { entranceOf, isConnectionFor } from '../../http/server/entrance.js';

/**
 * Over HTTPS a request has to be for the host that its connection was made for: that host's certificate is what the
 * client has seen (RFC 9110 section 7.4).
 * @throws ApiError misdirected_request
 */
export function requireServerName(hstsSeconds: number): RequestHandler {
  return (req, res, next) => {
    if (entranceOf(req) === 'https') {
      const host = hostOf(req);
      if (host === undefined || !isConnectionFor(req, host)) throw misdirected();
      // RFC 6797; not for subdomains, which are others' perhaps.
      if (hstsSeconds > 0) res.setHeader('Strict-Transport-Security', `max-age=${hstsSeconds}`);
    }
    next();
  };
}
