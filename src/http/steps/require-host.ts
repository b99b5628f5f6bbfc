import type { RequestHandler } from 'express';
import { ApiError } from '../../lib/errors.js';

/**
 * Requires exactly one Host header in an HTTP/1.1 request (RFC 9112 section 3.2). Node's own check would send a 400
 * without a body. The value of the header is not checked here.
 * @throws ApiError invalid_request
 */
export const requireHost: RequestHandler = (req, _res, next) => {
  const hosts = req.headersDistinct['host']?.length ?? 0;
  if (hosts > 1)
    throw new ApiError('invalid_request', 'The Host header was sent more than once. Send it once.');
  if (hosts === 0 && req.httpVersion !== '1.0')
    throw new ApiError('invalid_request', 'The Host header is missing: HTTP/1.1 requires it.');
  next();
};
