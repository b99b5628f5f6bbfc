import type { RequestHandler } from 'express';
import { compose } from '../../http/steps/compose.js';
import { otherMethods } from '../../http/steps/other-methods.js';
import { assertJsonBody } from '../../http/steps/read-body.js';
import { pathOf } from '../../http/steps/request-context.js';
import type { Operations } from '../../http/versioning/operations.js';
import { findRestPath, type RestOperationId } from '../../http/versioning/rest-operations.js';
import type { Clock } from '../../lib/clock.js';
import { announceDeprecation, endAtSunset } from './deprecation.js';
import { acceptsJson, onlyRoles } from './route-checks.js';

/** Uploads are mounted before the step that reads bodies. */
export type RoutedOperationId = Exclude<RestOperationId, 'uploadDeploy' | 'uploadPetsImport'>;

/**
 * Routes each request to the handler of its operation, after the checks that the operation's record asks for. At a path
 * with other operations only, answers OPTIONS and rejects the method. Passes on other paths.
 */
export function restRoutes(
  handlers: Record<RoutedOperationId, RequestHandler>,
  { operations, clock }: { operations: Operations; clock: Clock },
): RequestHandler {
  function checked(id: RoutedOperationId): RequestHandler {
    const { roles, accepts, deprecation } = operations.rest[id];
    return compose(
      ...(deprecation === undefined ? [] : [announceDeprecation(deprecation)]),
      onlyRoles(...roles),
      acceptsJson,
      ...(deprecation === undefined ? [] : [endAtSunset(id, deprecation, clock)]),
      ...(accepts.length === 0 ? [] : [hasJsonBody(accepts)]),
      handlers[id],
    );
  }
  const routes = new Map<RestOperationId, RequestHandler>(
    (Object.keys(handlers) as RoutedOperationId[]).map((id) => [id, checked(id)]),
  );

  return (req, res, next) => {
    const found = findRestPath(pathOf(req));
    if (found === undefined) {
      next();
      return;
    }
    const id = found.operations.get(req.method);
    const handler = (id && routes.get(id)) ?? otherMethods(found.allow, found.acceptPatch);
    return handler(req, res, next);
  };
}

function hasJsonBody(accepts: readonly string[]): RequestHandler {
  return (req, _res, next) => {
    assertJsonBody(req, accepts);
    next();
  };
}
