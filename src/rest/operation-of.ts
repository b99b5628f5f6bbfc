import type { Request } from 'express';
import { pathOf } from '../http/exchange.js';

/** Which operation of schema/openapi.yaml a request asked for; undefined: none. */
export function operationOf(req: Request): string | undefined {
  const path = pathOf(req);
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (path === '/v1/pets') return isRead ? 'listPets' : req.method === 'POST' ? 'createPet' : undefined;
  const isOnePet = path.startsWith('/v1/pets/') && !path.includes('/', '/v1/pets/'.length);
  return isRead && isOnePet ? 'getPet' : undefined;
}
