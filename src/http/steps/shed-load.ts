import type { RequestHandler, Response } from 'express';
import type { ClientLimiter } from '../../features/limiter/client-limiter.js';
import { serviceUnavailable } from '../../lib/errors.js';
import type { Clock } from '../../lib/clock.js';
import type { InFlightLimit } from '../load/in-flight-limit.js';
import { requestContextOf } from './request-context.js';
import { onHandedOver } from './on-finished.js';
import { setAnonymousHeaders } from '../answers/rate-limit-headers.js';
import { sendError } from '../answers/render-error.js';

export interface LoadParts {
  load: InFlightLimit;
  anonymous: ClientLimiter;
  clock: Clock;
}

const OVERLOADED = serviceUnavailable('The gateway has more requests than it can answer at the moment.');

/**
 * Rejects requests with 503 while too many are in flight, before anything is looked up, read or charged for them.
 * Requests without a key share a part of the places until their client is authenticated. A request that shows a key,
 * valid or not, counts outside that part, so other requests of its client cannot delay it.
 * @param takesKeys whether a key in `Authorization` is checked here before the body is read
 */
export function shedLoad(parts: LoadParts, takesKeys = true): RequestHandler {
  const { load } = parts;
  return (req, res, next) => {
    const context = requestContextOf(res);
    const showsKey = takesKeys && req.headers.authorization !== undefined;
    const inFlight = load.enter(showsKey ? undefined : context.client);
    if (inFlight === undefined) {
      answerOverloaded(res, parts);
      return;
    }
    context.recognise = inFlight.recognise;
    onHandedOver(req, res, inFlight.leave);
    next();
  };
}

/**
 * Does not use the error handler, which logs the error and reads the key's quota from the store: a rejected request
 * must cost little. So the headers describe the client's anonymous limit, as they do when no key is known.
 */
export function answerOverloaded(res: Response, { anonymous, clock }: Omit<LoadParts, 'load'>): void {
  setAnonymousHeaders(res, anonymous.peek(requestContextOf(res).client), clock());
  sendError(res, OVERLOADED);
}
