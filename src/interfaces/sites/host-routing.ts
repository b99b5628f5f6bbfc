import type { Request, RequestHandler, Response } from 'express';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import { hostOf } from '../../http/server/host-of.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import type { Absence, AbsentSite } from '../../features/publishing/sites/live-domains.js';
import type { SiteAtHost } from '../../features/publishing/sites/site-at-host.js';
import { whenKnown, type Awaitable } from '../../lib/awaitable.js';
import { inTime } from '../../lib/in-time.js';

export interface Hosts {
  /** The host of PUBLIC_URL. */
  operator: string;
  /** Returns the site at a host of the platform or of a customer. `client` pays for a look-up that finds nothing. */
  siteAt: (host: string, client: string) => Awaitable<SiteAtHost | AbsentSite>;
  /** Sends the response for a host where no site is served, or throws the error. */
  answerAbsent: (req: Request, res: Response, host: string, absence: Absence) => void;
}

/** Passes on requests for the operator's own host. `elsewhere` answers all others; they never pass. */
export function routeByHost(
  { operator }: Pick<Hosts, 'operator'>,
  elsewhere: RequestHandler,
): RequestHandler {
  return (req, res, next) =>
    hostOf(req) === operator
      ? next()
      : elsewhere(req, res, (error?: unknown) => next(error ?? misdirected()));
}

/**
 * Finds the site that a request is for. A request for a host without a site ends here.
 * @throws ApiError invalid_request; errors of siteAt and answerAbsent
 */
export function findSite({ siteAt, answerAbsent }: Pick<Hosts, 'siteAt' | 'answerAbsent'>): RequestHandler {
  return (req, res, next) => {
    const host = hostOf(req);
    if (host === undefined) throw invalidRequest({ field: 'Host', message: 'is no host name' });
    const context = requestContextOf(res);
    return whenKnown(inTime(siteAt(host, context.client)), (site) => {
      if ('absence' in site) {
        answerAbsent(req, res, host, site.absence);
        return;
      }
      context.site = { ...site, host };
      next();
    });
  };
}

/** @param hint a remedy, if the client may know it */
export function misdirected(hint?: string): ApiError {
  const said = ['Nothing is served under this host name here.', hint ?? []].flat().join(' ');
  return new ApiError('misdirected_request', said);
}
