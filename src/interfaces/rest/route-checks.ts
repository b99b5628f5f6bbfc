import type { RequestHandler } from 'express';
import type { ApiKeyRole } from '../../features/keys/api-key.js';
import { preferredType } from '../../http/answers/accepts.js';
import { callerOf } from '../../http/steps/request-context.js';
import { ApiError } from '../../lib/errors.js';

/** Some clients also name the charset: it is the same media type. */
const OFFERED = ['application/json', 'application/json; charset=utf-8'];
/** Nearly all clients send one of these values, which need no negotiation. */
const USUAL: readonly unknown[] = [undefined, '*/*', 'application/json'];

/** @throws ApiError not_acceptable */
export const acceptsJson: RequestHandler = (req, _res, next) => {
  if (!USUAL.includes(req.headers.accept) && preferredType(req, OFFERED) === undefined)
    throw new ApiError('not_acceptable', 'Responses are application/json, which the Accept header excludes.');
  next();
};

/** @throws ApiError forbidden */
export function onlyRoles(...roles: readonly ApiKeyRole[]): RequestHandler {
  return (_req, res, next) => {
    const { role } = callerOf(res).key;
    if (!roles.includes(role))
      throw new ApiError(
        'forbidden',
        `A key with the role ${role} cannot use the REST interface. Use GraphQL, or a server key.`,
        { details: { role } },
      );
    next();
  };
}
