import type { RequestHandler } from 'express';
import type { Clock } from '../../lib/clock.js';
import type { ClientLimiter } from '../../features/limiter/client-limiter.js';
import { requestContextOf } from './request-context.js';
import { setAnonymousHeaders } from '../answers/rate-limit-headers.js';
import { CORS_METHODS } from '../versioning/rest-operations.js';

const MAX_AGE_SECONDS = '7200';

/**
 * Answers a CORS preflight (Fetch standard, 4.8) with 204 for any origin. The browser sends it without a key, so there
 * is nothing to charge or reject yet. Credentials are not allowed: the key is in Authorization, not in a cookie.
 */
export function answerPreflight(anonymous: ClientLimiter, clock: Clock): RequestHandler {
  return (req, res, next) => {
    const { origin, 'access-control-request-method': method } = req.headers;
    if (req.method !== 'OPTIONS' || origin === undefined || method === undefined) {
      next();
      return;
    }
    setAnonymousHeaders(res, anonymous.peek(requestContextOf(res).client), clock());
    res.setHeader('Access-Control-Allow-Methods', CORS_METHODS);
    const headers = req.headers['access-control-request-headers'];
    if (headers !== undefined) res.setHeader('Access-Control-Allow-Headers', headers);
    res.setHeader('Access-Control-Max-Age', MAX_AGE_SECONDS);
    res.status(204).end();
  };
}

/**
 * Removes the headers that common-headers.ts sets for pages of other origins: a site's host serves only its own pages.
 */
export const withoutCors: RequestHandler = (_req, res, next) => {
  res.removeHeader('Access-Control-Allow-Origin');
  res.removeHeader('Access-Control-Expose-Headers');
  next();
};
