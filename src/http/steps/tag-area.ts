import type { RequestHandler } from 'express';
import { requestContextOf, type Area } from './request-context.js';

/** Returns the same handler, marked with its area: metrics and logs keep its requests apart from the API. */
export function tagArea(area: Area, handler: RequestHandler): RequestHandler {
  return (req, res, next) => {
    requestContextOf(res).area = area;
    return handler(req, res, next);
  };
}
