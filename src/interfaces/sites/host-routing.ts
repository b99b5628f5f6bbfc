import type { Request, RequestHandler } from 'express';
import { ApiError, invalidRequest } from '../../lib/errors.js';
import { hostOf } from '../../http/server/host-of.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import type { SiteAtHost } from '../../features/publishing/sites/site-at-host.js';
import { inTime } from '../../lib/in-time.js';

export interface Hosts {
  /** The host of PUBLIC_URL. */
  operator: string;
  /** What is served at a host: the platform's or a customer's. */
  siteAt: (host: string) => Promise<SiteAtHost | undefined>;
  /** The refusal of a host that is nobody's. */
  answerUnknown: (req: Request, host: string) => ApiError;
}

/** Lets requests for the operator's own host pass; all others are answered by `elsewhere`, and never pass. */
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
 * Finds out whose site is asked for.
 * @throws ApiError misdirected_request for a host that is nobody's (RFC 9110 section 15.5.20); invalid_request
 */
export function findSite({ siteAt, answerUnknown }: Pick<Hosts, 'siteAt' | 'answerUnknown'>): RequestHandler {
  return async (req, res, next) => {
    const host = hostOf(req);
    if (host === undefined) throw invalidRequest({ field: 'Host', message: 'is no host name' });
    const site = await inTime(siteAt(host));
    if (site === undefined) throw answerUnknown(req, host);
    requestContextOf(res).site = { ...site, host };
    next();
  };
}

/** @param hint what to do about it, where that may be told */
export function misdirected(hint?: string): ApiError {
  const said = ['Nothing is served under this host name here.', hint ?? []].flat().join(' ');
  return new ApiError('misdirected_request', said);
}
