import type { RequestHandler } from 'express';
import { contentSecurityPolicy } from '../../http/answers/content-security-policy.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import { compose } from '../../http/steps/compose.js';
import { shedLoad, type LoadParts } from '../../http/steps/shed-load.js';
import { withoutCors } from '../../http/steps/cors.js';
import { findPageFiles, PAGE_FOLDER } from './page-files.js';
import { pageRoutes } from './page-routes.js';
import { sessionListRoutes } from './session-list-routes.js';
import { sessionRoutes, type SessionRoutesParts } from './session-routes.js';

export interface DashboardParts extends SessionRoutesParts, LoadParts {}

const BELOW = /^\/dashboard(?:[/?]|$)/;

/**
 * Headers of every response at and below /dashboard: only its own pages may use it, and they load nothing from
 * elsewhere.
 */
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
  // Not no-referrer: under that policy, browsers send `Origin: null` with requests that are not in the mode `cors`.
  'Referrer-Policy': 'same-origin',
};

/**
 * Answers everything at and below /dashboard. It needs no key and charges no key. Mount it before the step that answers
 * preflights, because pages of other origins may use nothing here.
 */
export function dashboard(parts: DashboardParts, pageFolder = PAGE_FOLDER): RequestHandler {
  const files = findPageFiles(pageFolder, HEADERS);
  if (files === undefined)
    parts.log.warn(
      { pageFolder },
      'the dashboard is not built, so /dashboard answers 404: run `npm run build`',
    );
  const answer = compose(
    withoutCors,
    (_req, res, next) => {
      requestContextOf(res).area = 'dashboard';
      res.set(HEADERS);
      next();
    },
    shedLoad(parts, false),
    sessionRoutes(parts),
    sessionListRoutes(parts),
    pageRoutes(files),
  );
  return (req, res, next) => (BELOW.test(req.originalUrl) ? answer(req, res, next) : next());
}
