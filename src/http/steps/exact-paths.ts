import type { RequestHandler } from 'express';
import { pathOf } from './request-context.js';

/**
 * Routes GET and HEAD requests for exactly these paths with one look-up, however many paths there are. Express would
 * try one route per path on every request to the API. A handler calls `next()` for requests that it does not handle.
 */
export function exactPaths(handlers: Readonly<Record<string, RequestHandler>>): RequestHandler {
  const byPath = new Map(Object.entries(handlers));
  return (req, res, next) => {
    const handler = req.method === 'GET' || req.method === 'HEAD' ? byPath.get(pathOf(req)) : undefined;
    return (handler ?? passOn)(req, res, next);
  };
}

/** As exactPaths, for one path and every method. */
export function exactPath(path: string, handler: RequestHandler): RequestHandler {
  return (req, res, next) => (pathOf(req) === path ? handler : passOn)(req, res, next);
}

const passOn: RequestHandler = (_req, _res, next) => {
  next();
};
