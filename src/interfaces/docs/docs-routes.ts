import type { Request, RequestHandler } from 'express';
import { preferredType } from '../../http/answers/accepts.js';
import { tagArea } from '../../http/steps/tag-area.js';
import { exactPaths } from '../../http/steps/exact-paths.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import { setAnonymousHeaders } from '../../http/answers/rate-limit-headers.js';
import type { Clock } from '../../lib/clock.js';
import type { ClientLimiter } from '../../features/limiter/client-limiter.js';
import { BASE_PATH } from '../../http/versioning/api-version.js';
import type { Operations } from '../../http/versioning/operations.js';
import { HOME_PAGE } from './home.js';
import { IDE_FILES, IDE_PAGE } from './ide.js';
import { serveWithOwnAddress } from './own-address.js';
import { PAGE_FILES } from './page.js';
import { plainDocs } from './plain-docs.js';
import { referenceFiles } from './reference.js';
import { readDocsSite, SITE_FOLDER } from './site.js';
import { readSdl, servedOpenApi, toJson } from './schema-files.js';
import { serve, type ServedFile } from '../../http/answers/served-file.js';

const SDL_FILE = { contentType: 'text/plain; charset=utf-8', read: readSdl };

function openApiFiles(operations: Operations): Readonly<Record<string, ServedFile>> {
  const openApi = () => servedOpenApi(operations);
  return {
    '/docs/openapi.yaml': { contentType: 'application/yaml', read: openApi },
    '/docs/openapi.json': { contentType: 'application/json', read: () => toJson(openApi()) },
  };
}

export interface DocsParts {
  anonymous: ClientLimiter;
  clock: Clock;
  operations: Operations;
}

/**
 * Serves the documentation and the page at `/` without a key and without a charge. Mount it before authentication.
 * `siteFolder` contains the documentation site, if it has been built. A page of docs/ that is not in it is served plain.
 */
export function docsRoutes(
  { anonymous, clock, operations }: DocsParts,
  siteFolder = SITE_FOLDER,
): RequestHandler {
  const pages = Object.entries({ ...plainDocs(), ...readDocsSite(siteFolder) }).map(
    ([path, file]): [string, RequestHandler] => [
      path,
      file.contentType.startsWith('text/') ? serveWithOwnAddress(file) : serve(file),
    ],
  );
  for (const [path, file] of Object.entries(openApiFiles(operations)))
    pages.push([path, serveWithOwnAddress(file)]);
  const files = Object.entries({
    ...PAGE_FILES,
    '/docs/schema.graphql': SDL_FILE,
    ...referenceFiles(operations),
    ...IDE_FILES,
  });
  const home = tagArea('docs', serve(HOME_PAGE));
  const ide = tagArea('docs', serve(IDE_PAGE));
  return exactPaths({
    ...Object.fromEntries(pages.map(([path, handler]) => [path, tagArea('docs', handler)])),
    ...Object.fromEntries(files.map(([path, file]) => [path, tagArea('docs', serve(file))])),
    // Relative, like every URL in the pages: a proxy may add a path prefix.
    '/docs/': (_req, res) => res.redirect(308, '../docs'),
    '/openapi.json': (_req, res) => res.redirect(308, 'docs/openapi.json'),
    '/openapi.yaml': (_req, res) => res.redirect(308, 'docs/openapi.yaml'),
    [`${BASE_PATH}/openapi.json`]: (_req, res) => res.redirect(308, '../docs/openapi.json'),
    [`${BASE_PATH}/openapi.yaml`]: (_req, res) => res.redirect(308, '../docs/openapi.yaml'),
    '/': (req, res, next) => (prefersPage(req, ['application/json']) ? home(req, res, next) : next()),
    '/graphql': (req, res, next) => {
      if (!isForPeople(req)) {
        next();
        return;
      }
      // Every response at /graphql carries the client's rate limit headers; this one charges nothing.
      setAnonymousHeaders(res, anonymous.peek(requestContextOf(res).client), clock());
      return ide(req, res, next);
    },
  });
}

/** Whether a browser opens the URL without a query. */
function isForPeople(req: Request): boolean {
  return prefersPage(req, ['application/json', 'application/graphql-response+json']) && !hasQuery(req);
}

/** Whether the client prefers a page to each of these types. */
function prefersPage(req: Request, forPrograms: readonly string[]): boolean {
  return preferredType(req, [...forPrograms, 'text/html']) === 'text/html';
}

function hasQuery(req: Request): boolean {
  const start = req.originalUrl.indexOf('?');
  return start !== -1 && new URLSearchParams(req.originalUrl.slice(start)).has('query');
}
