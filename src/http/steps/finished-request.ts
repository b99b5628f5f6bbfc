import type { Request, RequestHandler } from 'express';
import type { Caller } from '../../features/keys/caller.js';
import type { ApiError } from '../../lib/errors.js';
import type { TraceIds } from '../../lib/trace-context.js';
import { CLIENT_GONE, OTHER_OPERATION, type ApiInterface } from '../../features/usage/usage.js';
import { requestContextOf, pathOf, type Place } from './request-context.js';
import { onFinished } from './on-finished.js';

/** What became of a request, for those who count, measure and log. */
export interface FinishedRequest {
  requestId: string;
  client: string;
  method: string;
  /** Without the query. */
  path: string;
  interface: ApiInterface;
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
 * @param operationOf what was asked for at the REST interface
 */
export function observeRequests(
  operationOf: (req: Request) => string | undefined,
  ...observers: readonly ((request: FinishedRequest) => void)[]
): RequestHandler {
  return (req, res, next) => {
    const beganMs = performance.now();
    const context = requestContextOf(res);
    onFinished(req, res, () => {
      const {
        requestId,
        client,
        caller,
        place,
        interface: apiInterface = 'rest',
        cost,
        error,
        trace,
      } = context;
      const asked = place === undefined && apiInterface === 'rest' ? operationOf(req) : undefined;
      const request = {
        requestId,
        client,
        method: req.method,
        path: pathOf(req),
        interface: apiInterface,
        place,
        operation: context.operation ?? asked ?? OTHER_OPERATION,
        status: res.writableFinished ? res.statusCode : CLIENT_GONE,
        durationMs: performance.now() - beganMs,
        caller,
        isBySession: context.isBySession === true,
        cost,
        error,
        trace,
      };
      for (const observe of observers) observe(request);
    });
    next();
  };
}
