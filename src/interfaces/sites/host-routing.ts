import type { Request, RequestHandler, Response } from 'express';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import { hostOf } from '../../http/server/host-of.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import type { SiteAtHost } from '../../features/publishing/sites/site-at-host.js';
import { whenKnown, type Awaitable } from '../../lib/awaitable.js';
import { inTime } from '../../lib/in-time.js';

export interface Hosts {
  /** The host of PUBLIC_URL. */
  operator: string;
  /** Returns the site at a host of the platform or of a customer, or undefined. */
  siteAt: (host: string) => Awaitable<SiteAtHost | undefined>;
  /** Sends the response for a host where no site is served, or throws the error. */
  answerAbsent: (req: Request, res: Response, host: string) => Promise<void>;
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
 * @throws ApiError invalid_request; errors of answerAbsent
 */
export function findSite({ siteAt, answerAbsent }: Pick<Hosts, 'siteAt' | 'answerAbsent'>): RequestHandler {
  return (req, res, next) => {
    const host = hostOf(req);
    if (host === undefined) throw invalidRequest({ field: 'Host', message: 'is no host name' });
    return whenKnown(inTime(siteAt(host)), (site) => {
      if (site === undefined) return answerAbsent(req, res, host);
      requestContextOf(res).site = { ...site, host };
      next();
      return undefined;
    });
  };
}

/** @param hint a remedy, if the client may know it */
export function misdirected(hint?: string): ApiError {
  const said = ['Nothing is served under this host name here.', hint ?? []].flat().join(' ');
  return new ApiError('misdirected_request', said);
}
