import type { RequestHandler } from 'express';
import { ApiError } from '../../lib/errors.js';

/**
 * The last handler of a route: answers OPTIONS with the allowed methods (RFC 9110 section 9.3.7) and rejects every
 * other method.
 * @param acceptPatch the value of `Accept-Patch` (RFC 5789), at a path with PATCH
 * @throws ApiError method_not_allowed
 */
export function otherMethods(allow: string, acceptPatch?: string): RequestHandler {
  return (req, res) => {
    res.setHeader('Allow', allow);
    if (acceptPatch !== undefined) res.setHeader('Accept-Patch', acceptPatch);
    if (req.method === 'OPTIONS') {
      res.status(204).end();
      return;
    }
    throw new ApiError('method_not_allowed', `${req.method} is not supported at this path. Use ${allow}.`);
  };
}
