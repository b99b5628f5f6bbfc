import type { RequestHandler } from 'express';
import { contentSecurityPolicy } from '../../http/answers/content-security-policy.js';
import { exactPath } from '../../http/steps/exact-paths.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import { compose } from '../../http/steps/compose.js';
import { shedLoad, type LoadParts } from '../../http/steps/shed-load.js';
import { withoutCors } from '../../http/steps/without-cors.js';
import { findPageFiles, PAGE_FOLDER } from './page-files.js';
import { pageRoutes } from './page-routes.js';
import { sessionRoutes, type SessionRoutesParts } from './session-routes.js';

export interface DashboardParts extends SessionRoutesParts, LoadParts {}

const BELOW = /^\/dashboard(?:[/?]|$)/;

/** What browsers are told of everything below /dashboard: it is for its own pages, which load nothing from elsewhere. */
const HEADERS = {
  ...contentSecurityPolicy({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'form-action': "'self'",
  }),
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  // Not no-referrer: under that browsers say `Origin: null` of requests that are not in the mode `cors`.
  'Referrer-Policy': 'same-origin',
};

/**
 * Everything at and below /dashboard, for people: it needs no key and costs none anything. It stands before the step
 * that answers preflights, since nothing here is for pages of other origins.
 */
export function dashboard(parts: DashboardParts, pageFolder = PAGE_FOLDER): RequestHandler {
  const files = findPageFiles(pageFolder, HEADERS);
  if (files === undefined)
    parts.log.warn({ pageFolder }, 'the dashboard has not been built, so there is none: run `npm run build`');
  const answer = compose(
    withoutCors,
    (_req, res, next) => {
      requestContextOf(res).place = 'dashboard';
      res.set(HEADERS);
      next();
    },
    shedLoad(parts, false),
    exactPath('/dashboard/session', sessionRoutes(parts)),
    pageRoutes(files),
  );
  return (req, res, next) => (BELOW.test(req.originalUrl) ? answer(req, res, next) : next());
}
