import type { RequestHandler } from 'express';
import { ApiError } from '../../lib/errors.js';

/**
 * Requires exactly one Host header in an HTTP/1.1 request (RFC 9112 section 3.2). Node's own check would send a 400
 * without a body. The value of the header is not checked here.
 * @throws ApiError invalid_request
 */
export const requireHost: RequestHandler = (req, _res, next) => {
  const hosts = countHosts(req.rawHeaders);
  if (hosts > 1)
    throw new ApiError('invalid_request', 'The Host header was sent more than once. Send it once.');
  if (hosts === 0 && req.httpVersion !== '1.0')
    throw new ApiError('invalid_request', 'The Host header is missing.');
  next();
};

/** Node would first collect all headers. @param rawHeaders names and values in turn */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]?.length === 4 && rawHeaders[i]?.toLowerCase() === 'host') hosts += 1;
  return hosts;
}
