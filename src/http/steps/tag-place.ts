import type { RequestHandler } from 'express';
import { requestContextOf, type Place } from './request-context.js';

/** Returns the same handler, marked with its place: metrics and logs keep its requests apart from the API. */
export function tagPlace(place: Place, handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    requestContextOf(res).place = place;
    return handler(req, res, next);
  };
}
