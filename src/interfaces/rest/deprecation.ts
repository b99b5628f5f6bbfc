import type { RequestHandler } from 'express';
import type { Clock } from '../../lib/clock.js';
import { BASE_PATH } from '../../http/versioning/api-version.js';
import type { Deprecation } from '../../http/versioning/operation.js';
import { assertNotRemoved } from '../../http/versioning/removal.js';

/** Sets Deprecation (RFC 9745), Sunset (RFC 8594) and Link (RFC 8288) on every response of the operation. */
export function announceDeprecation({ deprecatedMs, sunsetMs, successor }: Deprecation): RequestHandler {
  const deprecation = `@${deprecatedMs / 1000}`;
  const sunset = new Date(sunsetMs).toUTCString();
  const links = [
    ...(successor === undefined ? [] : [`<${BASE_PATH}${successor}>; rel="successor-version"`]),
    '</docs>; rel="deprecation"; type="text/html"',
  ].join(', ');
  return (_req, res, next) => {
    res.setHeader('Deprecation', deprecation);
    res.setHeader('Sunset', sunset);
    res.setHeader('Link', links);
    next();
  };
}

/**
 * Rejects every request to a removed operation, before its parameters and its body are checked. @throws ApiError
 * operation_removed
 */
export function endAtSunset(operationId: string, deprecation: Deprecation, clock: Clock): RequestHandler {
  return (_req, _res, next) => {
    assertNotRemoved(operationId, deprecation, clock);
    next();
  };
}
