import type { Request } from 'express';
import { pathOf } from '../../http/steps/request-context.js';
import { BASE_PATH } from '../../http/versioning/api-version.js';
import type { RestOperationId } from '../../http/versioning/operation.js';
import { ApiError } from '../../lib/errors.js';
import { parseCanonicalInt64 } from '../../lib/int64.js';

export const PETS_PATH = `${BASE_PATH}/pets`;
/** The path before the id of one pet. */
export const ONE_PET_PATH = `${PETS_PATH}/`;

/** Whether a path names one pet. The id may be any text. */
export function isOnePetPath(path: string): boolean {
  const { length } = ONE_PET_PATH;
  return path.length > length && path.startsWith(ONE_PET_PATH) && !path.includes('/', length);
}

/** Returns the operation of schema/openapi.yaml that a request is for, or undefined. */
export function operationOf(req: Request): RestOperationId | undefined {
  const path = pathOf(req);
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (path === PETS_PATH) return isRead ? 'listPets' : req.method === 'POST' ? 'createPet' : undefined;
  return isRead && isOnePetPath(path) ? 'getPet' : undefined;
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
  if (path === PETS_PATH || path === '/graphql') return true;
  return isOnePetPath(path) && parseCanonicalInt64(path.slice(ONE_PET_PATH.length)) !== undefined;
}
