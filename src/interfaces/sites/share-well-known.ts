import type { RequestHandler } from 'express';
import { pathOf } from '../../http/steps/request-context.js';

const WELL_KNOWN = '/.well-known/';

/**
 * Lets pages of all origins read `/.well-known/` (Fetch, "CORS protocol"): its files describe the site to programs, and
 * some specifications ask for it, such as Matrix. Includes redirects and errors, so that a page can tell that a file is
 * missing. Also answers the preflight request of a page that sends headers of its own.
 */
export function shareWellKnown(): RequestHandler {
  return (req, res, next) => {
    if (!pathOf(req).startsWith(WELL_KNOWN)) {
      next();
      return;
    }
    res.setHeader('Access-Control-Allow-Origin', '*');
    if (req.method !== 'OPTIONS' || req.headers['access-control-request-method'] === undefined) {
      next();
      return;
    }
    res.setHeader('Access-Control-Allow-Methods', 'GET, HEAD');
    res.setHeader('Access-Control-Allow-Headers', '*');
    res.status(204).end();
  };
}
