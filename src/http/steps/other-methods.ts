import type { RequestHandler } from 'express';
import { ApiError } from '../../lib/errors.js';

/**
 * The last handler of a route: OPTIONS is told what there is (RFC 9110 section 9.3.7), every other method refused.
 * @throws ApiError method_not_allowed
 */
export function otherMethods(allow: string): RequestHandler {
  return (req, res) => {
    res.setHeader('Allow', allow);
    if (req.method === 'OPTIONS') {
      res.status(204).end();
      return;
    }
    throw new ApiError('method_not_allowed', `${req.method} is not supported here, only ${allow}.`);
  };
}
