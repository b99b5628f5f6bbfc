import { Router, type Request, type RequestHandler } from 'express';
import { exchangeOf } from '../http/exchange.js';
import { setAnonymousHeaders } from '../http/rate-limit-headers.js';
import type { Clock } from '../lib/clock.js';
import type { ClientLimiter } from '../quotas/client-limiter.js';
import { IDE_FILES, IDE_PAGE } from './ide.js';
import { REFERENCE_FILES } from './reference.js';
import { readSdl, servedOpenApi, toJson } from './schema-files.js';
import { serve, type ServedFile } from './served-file.js';

const SCHEMA_FILES: Readonly<Record<string, ServedFile>> = {
  '/docs/openapi.yaml': { contentType: 'application/yaml', read: servedOpenApi },
  '/docs/openapi.json': { contentType: 'application/json', read: () => toJson(servedOpenApi()) },
  '/docs/schema.graphql': { contentType: 'text/plain; charset=utf-8', read: readSdl },
};

export interface DocsParts {
  anonymous: ClientLimiter;
  clock: Clock;
}

/** What a person reads before having a key: without one, and at no cost. Mounted before authentication. */
export function docsRoutes({ anonymous, clock }: DocsParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(onlyReads);
  for (const [path, file] of Object.entries({ ...SCHEMA_FILES, ...REFERENCE_FILES, ...IDE_FILES }))
    router.get(path, serve(file));
  // Relative, as every address in the pages: a proxy may have put a prefix before it.
  router.get('/docs/', (_req, res) => res.redirect(308, '../docs'));

  /** Every answer at /graphql tells how the client stands; this one charges nothing. */
  const tellStanding: RequestHandler = (_req, res, next) => {
    setAnonymousHeaders(res, anonymous.peek(exchangeOf(res).client), clock());
    next();
  };
  router.get('/graphql', onlyForPeople, tellStanding, serve(IDE_PAGE));
  return router;
}

/** Otherwise Express would answer an OPTIONS at /graphql by itself, for the pages' methods. */
const onlyReads: RequestHandler = (req, _res, next) => {
  next(req.method === 'GET' || req.method === 'HEAD' ? undefined : 'router');
};

/** Passes a request on to the GraphQL door unless it is a browser's that opens the address without a query. */
const onlyForPeople: RequestHandler = (req, _res, next) => {
  const prefersPage = req.accepts(['application/json', 'application/graphql-response+json', 'text/html']);
  next(prefersPage === 'text/html' && !hasQuery(req) ? undefined : 'route');
};

function hasQuery(req: Request): boolean {
  const start = req.originalUrl.indexOf('?');
  return start !== -1 && new URLSearchParams(req.originalUrl.slice(start)).has('query');
}
