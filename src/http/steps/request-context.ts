import type { Request, Response } from 'express';
import type { Caller } from '../../features/keys/caller.js';
import type { ApiError } from '../../lib/errors.js';
import type { TraceIds } from '../../lib/trace-context.js';
import type { SiteAtHost } from '../../features/publishing/sites/site-at-host.js';
import type { ApiInterface } from '../../features/usage/usage.js';
import type { InFlightPlace } from '../load/in-flight-limit.js';

/** The target of a request that is not for the API. */
export type Area = 'site' | 'dashboard' | 'docs' | 'health' | 'metrics';

/** State of one request that the shared steps set and read, kept in `res.locals`. */
export interface RequestContext {
  requestId: string;
  /** PUBLIC_URL, for absolute URLs in responses; undefined if it is not known. */
  publicUrl: string | undefined;
  /** The gateway's address as this client knows it; undefined if neither PUBLIC_URL nor a Host of this machine names it. */
  gatewayUrl: string | undefined;
  /** Set while tracing is on: `log.info({ requestId, ...requestContext.trace }, …)`. */
  trace?: TraceIds;
  /** The client by its network address: an IPv4 address or an IPv6 /64. */
  client: string;
  /** Set after authentication. */
  caller?: Caller;
  /** True if the dashboard's cookie authenticated the request. Such requests cost the key nothing, except for pets. */
  isBySession?: boolean;
  /** Set if the request is for a published site. */
  site?: RequestedSite;
  /** The interface that the request uses; undefined means REST. */
  interface?: ApiInterface;
  /** Set if the request is for no interface of the API. */
  area?: Area | undefined;
  /** The operation of the API, once it is known. */
  operation?: string;
  /** Units charged to the key's quota. */
  cost?: number;
  /** Units charged to the client's share of a browser key, or to the limit of the key's sessions. */
  taken?: number;
  /** The error of the response, if any. */
  error?: ApiError;
  /** The request's place among the requests in flight; undefined if it needs none. */
  inFlight?: InFlightPlace;
  /** Renders an error for this interface; by default, the Error object of the specification. */
  renderError?: (error: ApiError, context: RequestContext) => { contentType: string; body: string };
}

/** A site and the host that the client requested it at. */
export interface RequestedSite extends SiteAtHost {
  host: string;
}

export function requestContextOf(res: Response): RequestContext {
  return res.locals as RequestContext;
}

/** @throws Error if a step that needs a caller runs before authentication, which is a bug in app.ts */
export function callerOf(res: Response): Caller {
  const { caller } = requestContextOf(res);
  if (caller === undefined) throw new Error('no caller: the route is mounted before authentication');
  return caller;
}

/** @throws Error on the operator's host, which is a bug in app.ts */
export function siteOf(res: Response): RequestedSite {
  const { site } = requestContextOf(res);
  if (site === undefined) throw new Error('no site: the route is mounted before findSite');
  return site;
}

/** The path as the client sent it, without the query. */
export function pathOf({ originalUrl }: Request): string {
  const end = originalUrl.indexOf('?');
  return end === -1 ? originalUrl : originalUrl.slice(0, end);
}
