import type { Request, RequestHandler } from 'express';
import type { Caller } from '../../features/keys/caller.js';
import type { ApiError } from '../../lib/errors.js';
import type { TraceIds } from '../../lib/trace-context.js';
import { CLIENT_GONE, OTHER_OPERATION, type ApiInterface } from '../../features/usage/usage.js';
import { requestContextOf, pathOf, type Area } from './request-context.js';
import { onFinished } from './on-finished.js';

/** The result of a request, for usage counters, metrics and logs. */
export interface FinishedRequest {
  requestId: string;
  client: string;
  method: string;
  /** Without the query. */
  path: string;
  interface: ApiInterface;
  /** Set if the request is for no interface of the API. */
  area: Area | undefined;
  /** The operation's name in the API, or `other`: the number of values is bounded. */
  operation: string;
  /** 499 if the client left before the response. */
  status: number;
  durationMs: number;
  caller: Caller | undefined;
  isBySession: boolean;
  /** Units of quota charged for the request. */
  cost: number | undefined;
  /** The error of the response, if any. */
  error: ApiError | undefined;
  trace: TraceIds | undefined;
}

/**
 * Calls the observers once for each request, when it ends: answered, or left by its client.
 * @param operationOf returns the name of the REST operation
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
        area,
        interface: apiInterface = 'rest',
        cost,
        error,
        trace,
      } = context;
      const asked = area === undefined && apiInterface === 'rest' ? operationOf(req) : undefined;
      const request = {
        requestId,
        client,
        method: req.method,
        path: pathOf(req),
        interface: apiInterface,
        area,
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
