import type { RequestHandler } from 'express';
import { exchangeOf, pathOf } from '../http/exchange.js';

/** Says which operation of schema/openapi.yaml a request is, before anything can refuse it; for counts. */
export const nameOperation: RequestHandler = (req, res, next) => {
  const operation = operationOf(req.method, pathOf(req));
  if (operation !== undefined) exchangeOf(res).operation = operation;
  next();
};

function operationOf(method: string, path: string): string | undefined {
  if (!path.startsWith('/v1/pets')) return undefined;
  const isRead = method === 'GET' || method === 'HEAD';
  if (path === '/v1/pets') return isRead ? 'listPets' : method === 'POST' ? 'createPet' : undefined;
  return isRead && /^\/v1\/pets\/[^/]+$/.test(path) ? 'getPet' : undefined;
}
