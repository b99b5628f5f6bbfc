import type { RequestHandler } from 'express';
import { ApiError } from '../../lib/errors.js';

/**
 * An HTTP/1.1 request has exactly one Host header (RFC 9112 section 3.2). Checked here and not by Node, whose 400
 * has no body. Which name it is, is not asked.
 *
 * @throws ApiError invalid_request
 */
export const requireHost: RequestHandler = (req, _res, next) => {
  const hosts = req.headersDistinct['host']?.length ?? 0;
  if (hosts > 1) throw new ApiError('invalid_request', 'The Host header was sent more than once.');
  if (hosts === 0 && req.httpVersion !== '1.0')
    throw new ApiError('invalid_request', 'The Host header is missing: HTTP/1.1 requires it.');
  next();
};
