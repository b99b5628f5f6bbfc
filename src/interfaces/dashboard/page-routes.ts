import type { RequestHandler } from 'express';
import { pathOf } from '../../http/steps/request-context.js';
import { otherMethods } from '../../http/steps/other-methods.js';
import { serve } from '../../http/answers/served-file.js';
import { ApiError } from '../../lib/errors.js';
import type { PageFiles } from './page-files.js';

const answerOtherMethod = otherMethods('GET, HEAD, OPTIONS');
const ASSETS = '/dashboard/assets/';

/**
 * Serves the page and its files. The page itself chooses the view for a URL, so every path below /dashboard returns the
 * page, except paths that name a file.
 */
export function pageRoutes(files: PageFiles | undefined): RequestHandler {
  const page = files && serve(files.index);
  const assets = new Map([...(files?.assets ?? [])].map(([name, file]) => [ASSETS + name, serve(file)]));

  return (req, res, next) => {
    const path = pathOf(req);
    if (page === undefined)
      throw new ApiError(
        'not_found',
        'The dashboard is not built. Run `npm run build`, then restart the gateway.',
      );
    const namesFile = path.startsWith(ASSETS) || path.includes('.', path.lastIndexOf('/'));
    const answer = namesFile ? assets.get(path) : page;
    if (answer === undefined) throw new ApiError('not_found', 'The dashboard has no such file.');
    return (req.method === 'GET' || req.method === 'HEAD' ? answer : answerOtherMethod)(req, res, next);
  };
}
