import type { RequestHandler } from 'express';
import { requestContextOf, type Place } from './request-context.js';

/** The same handler; what it answers is told apart from the API in metrics and logs. */
export function tagPlace(place: Place, handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    requestContextOf(res).place = place;
    return handler(req, res, next);
  };
}
