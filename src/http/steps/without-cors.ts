import type { RequestHandler } from 'express';

/**
 * Removes the headers that common-headers.ts sets for pages of other origins: a site's host serves only its own pages.
 */
export const withoutCors: RequestHandler = (_req, res, next) => {
  res.removeHeader('Access-Control-Allow-Origin');
  res.removeHeader('Access-Control-Expose-Headers');
  next();
};
