import type { Request, RequestHandler } from 'express';
import type { Caller } from '../features/keys/caller.js';
import type { ApiError } from '../lib/errors.js';
import type { TraceIds } from '../lib/trace-context.js';
import { CLIENT_GONE, OTHER_OPERATION, type Door } from '../features/usage/usage.js';
import { exchangeOf, pathOf, type Place } from './exchange.js';
import { onEnded } from './on-ended.js';

/** What became of a request, for those who count, measure and log. */
export interface EndedRequest {
  requestId: string;
  client: string;
  method: string;
  /** Without the query. */
  path: string;
  door: Door;
  /** Set where it was for none of the API. */
  place: Place | undefined;
  /** As the API names it, or `other`: bounded in number. */
  operation: string;
  /** 499: the client went before it was answered. */
  status: number;
  durationMs: number;
  caller: Caller | undefined;
  isBySession: boolean;
  /** Units of quota that it was charged. */
  cost: number | undefined;
  /** What it was answered with, if that was an error. */
  error: ApiError | undefined;
  trace: TraceIds | undefined;
}

/**
 * Tells of each request once it has ended: answered, or left by its client.
 * @param operationOf what was asked for at the REST door
 */
export function observeRequests(
  operationOf: (req: Request) => string | undefined,
  ...observers: readonly ((request: EndedRequest) => void)[]
): RequestHandler {
  return (req, res, next) => {
    const beganMs = performance.now();
    const exchange = exchangeOf(res);
    onEnded(req, res, () => {
      const { requestId, client, caller, place, door = 'rest', cost, error, trace } = exchange;
      const asked = place === undefined && door === 'rest' ? operationOf(req) : undefined;
      const request = {
        requestId,
        client,
        method: req.method,
        path: pathOf(req),
        door,
        place,
        operation: exchange.operation ?? asked ?? OTHER_OPERATION,
        status: res.writableFinished ? res.statusCode : CLIENT_GONE,
        durationMs: performance.now() - beganMs,
        caller,
        isBySession: exchange.isBySession === true,
        cost,
        error,
        trace,
      };
      for (const observe of observers) observe(request);
    });
    next();
  };
}
