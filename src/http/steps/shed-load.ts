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
 * Turns requests away before anything is looked up, read or charged for them, while there are too many. Without a key
 * they have a part of the places until their client is known. A request that shows one, good or not, waits for nothing
 * that its client does before that is found out.
 * @param takesKeys whether a key in `Authorization` is looked at here before a body is
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
 * Not by way of the error handler, which logs what it answers and asks the store how the key stands: what is turned
 * away should cost little. So the headers tell of the client, as they do where no key is known.
 */
export function answerOverloaded(res: Response, { anonymous, clock }: Omit<LoadParts, 'load'>): void {
  setAnonymousHeaders(res, anonymous.peek(requestContextOf(res).client), clock());
  sendError(res, OVERLOADED);
}
