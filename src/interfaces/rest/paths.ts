import type { Request } from 'express';
import { pathOf } from '../../http/steps/request-context.js';
import { BASE_PATH } from '../../http/versioning/api-version.js';
import { findRestPath, type RestOperationId } from '../../http/versioning/rest-operations.js';
import { ApiError } from '../../lib/errors.js';
import { parseCanonicalInt64 } from '../../lib/int64.js';

/** The operation that a request is for, or undefined. */
export function operationOf(req: Request): RestOperationId | undefined {
  return findRestPath(pathOf(req))?.operations.get(req.method);
}

/** The 404 of an unknown path. It suggests a path that differs only in superfluous slashes or in its first part, the version. */
export function nothingAt(path: string): ApiError {
  const segments = path.split('/').filter((segment) => segment !== '');
  const plain = `/${segments.join('/')}`;
  const rest = segments.slice(1).join('/');
  const meant = [plain, `${BASE_PATH}${plain}`, `/${rest}`, `${BASE_PATH}/${rest}`].find(isKnown);
  return new ApiError(
    'not_found',
    meant === undefined
      ? 'There is nothing at this path. The page /docs/reference lists the REST paths.'
      : `There is nothing at this path. Did you mean ${meant}?`,
  );
}

function isKnown(path: string): boolean {
  if (path === '/graphql') return true;
  if (!path.startsWith(`${BASE_PATH}/`)) return false;
  return findRestPath(path)?.parameters.every((text) => parseCanonicalInt64(text) !== undefined) === true;
}
