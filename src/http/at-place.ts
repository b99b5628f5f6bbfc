import type { RequestHandler } from 'express';
import { exchangeOf, type Place } from './exchange.js';

/** The same handler; what it answers is told apart from the API in metrics and logs. */
export function atPlace(place: Place, handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    exchangeOf(res).place = place;
    return handler(req, res, next);
  };
}
