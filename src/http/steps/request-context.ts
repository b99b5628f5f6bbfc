import type { Request, Response } from 'express';
import type { Caller } from '../../features/keys/caller.js';
import type { ApiError } from '../../lib/errors.js';
import type { TraceIds } from '../../lib/trace-context.js';
import type { SiteAtHost } from '../../features/publishing/sites/site-at-host.js';
import type { ApiInterface } from '../../features/usage/usage.js';

/** What a request is for, if not for the API. */
export type Place = 'site' | 'dashboard' | 'docs' | 'health' | 'metrics';

/** What the shared steps know of one request, kept in `res.locals`. */
export interface RequestContext {
  requestId: string;
  /** Set while tracing is on: `log.info({ requestId, ...requestContext.trace }, …)`. */
  trace?: TraceIds;
  /** Who asks, as far as the network tells: an IPv4 address or an IPv6 /64. */
  client: string;
  /** Set once authentication passed. */
  caller?: Caller;
  /** Set where it passed by the cookie of the dashboard: such requests cost the key nothing but for pets. */
  isBySession?: boolean;
  /** Set where the request is for a published site. */
  site?: RequestedSite;
  /** The interface that the request uses; REST unless it is set. */
  interface?: ApiInterface;
  /** Set where it is for none of the API. */
  place?: Place | undefined;
  /** Which operation of the API it is, once that is known. */
  operation?: string;
  /** Units of the key's quota that it was charged. */
  cost?: number;
  /** Units that it took of its client's share of a browser key, or of what sessions of its key have. */
  taken?: number;
  /** What it was answered with, if that was an error. */
  error?: ApiError;
  /** To be called once its client is known to have a valid key. */
  recognise?: () => void;
  /** How this interface renders an error; by default, the Error object of the specification. */
  renderError?: (error: ApiError, requestId: string) => { contentType: string; body: string };
}

/** With the host it was asked for at. */
export interface RequestedSite extends SiteAtHost {
  host: string;
}

export function requestContextOf(res: Response): RequestContext {
  return res.locals as RequestContext;
}

/** @throws Error when a step that needs a caller runs before authentication: a mistake in app.ts */
export function callerOf(res: Response): Caller {
  const { caller } = requestContextOf(res);
  if (caller === undefined) throw new Error('no caller: the route is mounted before authentication');
  return caller;
}

/** @throws Error on the operator's host: a mistake in app.ts */
export function siteOf(res: Response): RequestedSite {
  const { site } = requestContextOf(res);
  if (site === undefined) throw new Error('no site: the route is mounted before findSite');
  return site;
}

/** The path as the client sent it, without the query. */
export function pathOf(req: Request): string {
  return req.originalUrl.split('?', 1)[0] ?? '';
}
