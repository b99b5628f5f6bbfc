import type { Request, Response } from 'express';
import type { ApiError } from '../../lib/errors.js';
import { OVERLOADED } from '../load/overloaded.js';
import { requestContextOf } from './request-context.js';

/** A body that is being received, however long that takes. */
export interface AwaitedBody {
  /** Call when the whole body has arrived. @throws ApiError service_unavailable if there is no place for the request */
  arrived: () => void;
}

const ARRIVED: AwaitedBody = { arrived: () => undefined };

/**
 * Call before the body of a request is read. Unless the body comes together with the headers, the request leaves its
 * place in flight to others until `arrived`, so that clients that send slowly take no place of requests that can be
 * answered.
 * @param giveUp called with the error to answer with, if there is no room for another body, or another client needs the
 * room: read no further
 */
export function awaitBody(req: Request, res: Response, giveUp: (error: ApiError) => void): AwaitedBody {
  const { inFlight } = requestContextOf(res);
  if (inFlight === undefined || req.complete) return ARRIVED;
  let isAwaited = false;
  // Node parses the bytes of a body that came with the headers after this turn's microtasks.
  const look = setImmediate(() => {
    if (req.complete || req.socket.destroyed) return;
    isAwaited = true;
    if (!inFlight.awaitBody(() => giveUp(OVERLOADED))) giveUp(OVERLOADED);
  });
  return {
    arrived() {
      clearImmediate(look);
      if (isAwaited && !inFlight.bodyArrived()) throw OVERLOADED;
    },
  };
}
