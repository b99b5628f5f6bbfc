import type { Request } from 'express';
import { pathOf } from '../../http/steps/request-context.js';
import type { RestOperationId } from '../../http/versioning/operation.js';
import { isOnePetPath, PETS_PATH } from './paths.js';

/** Returns the operation of schema/openapi.yaml that a request is for, or undefined. */
export function operationOf(req: Request): RestOperationId | undefined {
  const path = pathOf(req);
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (path === PETS_PATH) return isRead ? 'listPets' : req.method === 'POST' ? 'createPet' : undefined;
  return isRead && isOnePetPath(path) ? 'getPet' : undefined;
}
