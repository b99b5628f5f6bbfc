import type { RequestHandler } from 'express';
import type { Readiness } from '../../features/system/readiness.js';

/** Liveness: the process runs. */
export const live: RequestHandler = (_req, res) => {
  res.setHeader('Cache-Control', 'no-store');
  res.json({ status: 'live' });
};

/** Readiness: 200 if the gateway can answer requests, otherwise 503. Both list the checks. */
export function ready(readiness: () => Promise<Readiness>): RequestHandler {
  return async (_req, res) => {
    const { ready, checks } = await readiness();
    res.setHeader('Cache-Control', 'no-store');
    if (!ready) res.setHeader('Retry-After', 2);
    res.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'unavailable', checks });
  };
}
