import type { RequestHandler } from 'express';
import type { Clock } from '../../lib/clock.js';
import type { Deprecation } from '../../http/versioning/operation.js';
import { requestContextOf } from '../../http/steps/request-context.js';
import { assertNotRemoved, setDeprecationHeaders } from '../../http/versioning/removal.js';

/** Announces the removal on every response of the operation. */
export function announceDeprecation(deprecation: Deprecation): RequestHandler {
  return (_req, res, next) => {
    setDeprecationHeaders(res, deprecation, requestContextOf(res).publicUrl);
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
