import type { Request, RequestHandler } from 'express';
import { ApiError, invalidRequest } from '../lib/errors.js';
import { hostOfHeader } from '../lib/host-name.js';
import { exchangeOf } from './exchange.js';

export interface Hosts {
  /** The host of PUBLIC_URL. */
  operator: string;
  /** Whose site is at a host: the platform's or a customer's. */
  projectAt: (host: string) => Promise<string | undefined>;
}

/** Lets requests for the operator's own host pass; all others are answered by `elsewhere`, and never pass. */
export function byHost({ operator }: Pick<Hosts, 'operator'>, elsewhere: RequestHandler): RequestHandler {
  return (req, res, next) =>
    hostOf(req) === operator
      ? next()
      : elsewhere(req, res, (error?: unknown) => next(error ?? misdirected()));
}

/**
 * Finds out whose site is asked for.
 * @throws ApiError misdirected_request for a host that is nobody's (RFC 9110 section 15.5.20); invalid_request
 */
export function findSite({ projectAt }: Pick<Hosts, 'projectAt'>): RequestHandler {
  return async (req, res, next) => {
    const host = hostOf(req);
    if (host === undefined) throw invalidRequest({ field: 'Host', message: 'is no host name' });
    const projectId = await projectAt(host);
    if (projectId === undefined) throw misdirected();
    exchangeOf(res).site = { projectId, host };
    next();
  };
}

/** Empty for HTTP/1.0 without one; undefined for what is no valid header. */
function hostOf(req: Request): string | undefined {
  return hostOfHeader(req.headers.host ?? '');
}

function misdirected(): ApiError {
  return new ApiError('misdirected_request', 'Nothing is served under this host name here.');
}
