import type { Request, Response } from 'express';
import type { Caller } from '../features/keys/caller.js';
import type { ApiError } from '../lib/errors.js';
import type { TraceIds } from '../lib/trace-context.js';
import type { SiteAtHost } from '../features/publishing/sites/site-at-host.js';
import type { Door } from '../features/usage/usage.js';

/** Where a request may be for, other than the doors. */
export type Place = 'site' | 'dashboard' | 'docs' | 'health' | 'metrics';

/** What the shared steps know of one request, kept in `res.locals`. */
export interface Exchange {
  requestId: string;
  /** Set while tracing is on: `log.info({ requestId, ...exchange.trace }, …)`. */
  trace?: TraceIds;
  /** Who asks, as far as the network tells: an IPv4 address or an IPv6 /64. */
  client: string;
  /** Set once authentication passed. */
  caller?: Caller;
  /** Set where it passed by the cookie of the dashboard: such requests cost the key nothing but for pets. */
  isBySession?: boolean;
  /** Set where the request is for a published site. */
  site?: RequestedSite;
  /** The door it came in by; REST unless it is set. */
  door?: Door;
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
  /** How this door says an error; the Error object of the specification when it does not say. */
  renderError?: (error: ApiError, requestId: string) => { contentType: string; body: string };
}

/** With the host it was asked for at. */
export interface RequestedSite extends SiteAtHost {
  host: string;
}

export function exchangeOf(res: Response): Exchange {
  return res.locals as Exchange;
}

/** @throws Error when a step that needs a caller runs before authentication: a mistake in app.ts */
export function callerOf(res: Response): Caller {
  const { caller } = exchangeOf(res);
  if (caller === undefined) throw new Error('no caller: the route is mounted before authentication');
  return caller;
}

/** @throws Error on the operator's host: a mistake in app.ts */
export function siteOf(res: Response): RequestedSite {
  const { site } = exchangeOf(res);
  if (site === undefined) throw new Error('no site: the route is mounted before findSite');
  return site;
}

/** The path as the client sent it, without the query. */
export function pathOf(req: Request): string {
  return req.originalUrl.split('?', 1)[0] ?? '';
}
