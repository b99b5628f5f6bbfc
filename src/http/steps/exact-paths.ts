import type { RequestHandler } from 'express';
import { pathOf } from './request-context.js';

/**
 * Reads of exactly these paths, found in one step whatever their number: a route of Express for each would be tried on
 * every request to the API. A handler passes on with `next()` what is not for it.
 */
export function exactPaths(handlers: Readonly<Record<string, RequestHandler>>): RequestHandler {
  const byPath = new Map(Object.entries(handlers));
  return (req, res, next) => {
    const handler = req.method === 'GET' || req.method === 'HEAD' ? byPath.get(pathOf(req)) : undefined;
    return (handler ?? passOn)(req, res, next);
  };
}

/** As exactPaths, for one path and whatever method. */
export function exactPath(path: string, handler: RequestHandler): RequestHandler {
  return (req, res, next) => (pathOf(req) === path ? handler : passOn)(req, res, next);
}

const passOn: RequestHandler = (_req, _res, next) => {
  next();
};
