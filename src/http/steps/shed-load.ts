import type { RequestHandler, Response } from 'express';
import type { ClientLimiter } from '../../features/limiter/client-limiter.js';
import type { Clock } from '../../lib/clock.js';
import type { InFlightLimit } from '../load/in-flight-limit.js';
import { OVERLOADED } from '../load/overloaded.js';
import type { PlaceHolder } from '../load/place-counts.js';
import { callerOf, requestContextOf } from './request-context.js';
import { onHandedOver } from './on-finished.js';
import { setAnonymousHeaders } from '../answers/rate-limit-headers.js';
import { sendError } from '../answers/render-error.js';

export interface LoadParts {
  load: InFlightLimit;
  anonymous: ClientLimiter;
  clock: Clock;
}

/**
 * Rejects requests with 503 while too many are in flight, before anything is looked up, read or charged for them.
 * Requests without a key share a part of the places until their client is authenticated. A request that shows a key,
 * valid or not, counts outside that part until `holdPlace`, so other requests of its client cannot delay it.
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
    context.inFlight = inFlight;
    onHandedOver(req, res, inFlight.leave);
    next();
  };
}

/**
 * Counts the request's place for its caller: all keys of a project share a part of the places. A browser key is public,
 * so its requests stay with those of clients without a key. Rejects the request with 503 if the part is in use.
 */
export function holdPlace(parts: LoadParts): RequestHandler {
  return (_req, res, next) => {
    if (requestContextOf(res).inFlight?.holdFor(holderOf(res)) === false) answerOverloaded(res, parts);
    else next();
  };
}

/** The dashboard has a part of its own, because programs with the keys of the project could hold it up. */
function holderOf(res: Response): PlaceHolder {
  const { key, project } = callerOf(res);
  const { client, isBySession } = requestContextOf(res);
  if (key.role === 'browser') return { kind: 'client', id: client };
  return { kind: isBySession === true ? 'session' : 'project', id: project?.id ?? key.id };
}

/**
 * Does not use the error handler, which reads the key's quota from the store: a rejected request must cost little. So
 * the headers describe the client's anonymous limit, as they do when no key is known.
 */
export function answerOverloaded(res: Response, { anonymous, clock }: Omit<LoadParts, 'load'>): void {
  setAnonymousHeaders(res, anonymous.peek(requestContextOf(res).client), clock());
  sendError(res, OVERLOADED);
}
