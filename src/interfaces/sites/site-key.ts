import type { Request, RequestHandler } from 'express';
import { ApiError } from '../../lib/errors.js';
import { takeShare, type BrowserKeyParts } from '../../http/steps/browser-key.js';
import { callerOf, siteOf } from '../../http/steps/request-context.js';
import { setShareHeaders } from '../../http/answers/rate-limit-headers.js';

/**
 * Allows only browser keys of the site's own project at its /graphql. The host already identifies the page, so
 * `allowedOrigins` need not list a customer's domain. Browsers send no Origin with a GET to their own host.
 *
 * A denied request spends no quota of the key, as in requireOwnPage.
 * @throws ApiError forbidden; rate_limit_exceeded
 */
export function requireSiteKey(parts: BrowserKeyParts): RequestHandler {
  return (req, res, next) => {
    const { key } = callerOf(res);
    const site = siteOf(res);
    const isOfSite = key.role === 'browser' && key.projectId === site.projectId;
    if (isOfSite && isFrom(site.host, req)) {
      next();
      return;
    }
    const share = takeShare(res, 1, parts);
    if (share !== undefined) setShareHeaders(res, share.state, parts.clock());
    throw new ApiError(
      'forbidden',
      isOfSite
        ? `Only pages of ${site.host} may use this address.`
        : 'Only browser keys of the project that publishes this site work here.',
    );
  };
}

function isFrom(host: string, { headers: { origin } }: Request): boolean {
  return origin === undefined || (URL.canParse(origin) && new URL(origin).hostname === host);
}
