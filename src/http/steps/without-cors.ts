import type { RequestHandler } from 'express';

/** Takes back what common-headers.ts says to pages of other origins: a site's host is for its own pages. */
export const withoutCors: RequestHandler = (_req, res, next) => {
  res.removeHeader('Access-Control-Allow-Origin');
  res.removeHeader('Access-Control-Expose-Headers');
  next();
};
