import type { Request, RequestHandler, Response } from 'express';
import type { Caller } from '../../features/keys/caller.js';
import type { ClientLimiter } from '../../features/limiter/client-limiter.js';
import type { PublicReadiness, Readiness } from '../../features/system/readiness.js';
import { ApiError } from '../../lib/errors.js';
import { requestContextOf } from './request-context.js';

export interface ReadyParts {
  /** Whether the gateway is ready, for anybody. */
  publicReadiness: PublicReadiness;
  /** The checks, for admins. */
  readiness: () => Promise<Readiness>;
  anonymous: Pick<ClientLimiter, 'charge' | 'refund'>;
}

const RETRY_AFTER_SECONDS = 2;

/** Liveness: the process runs. */
export const live: RequestHandler = (_req, res) => {
  res.setHeader('Cache-Control', 'no-store');
  res.json({ status: 'live' });
};

/** For paths where probes often look. */
export const suggestReady: RequestHandler = () => {
  throw new ApiError('not_found', 'There is nothing at this path. Try /health/ready.');
};

/**
 * Readiness: 200 if the gateway can answer requests, otherwise 503. With the key of an admin, the response lists the
 * checks. Any other key is ignored, because a load balancer must not lose a gateway to a key that was revoked.
 *
 * The client pays one request of its anonymous limit for a new look at the database, and for a key that is no admin's.
 * Beyond the limit it gets an older result without the checks, and never 429: the load balancer can share its address
 * with other clients.
 *
 * @param identify returns the caller of the request's key, and charges nothing; rejects if the key is not valid
 */
export function ready(
  { publicReadiness, readiness, anonymous }: ReadyParts,
  identify: (req: Request) => Promise<Caller | undefined>,
): RequestHandler {
  async function isForAdmin(req: Request, res: Response): Promise<boolean> {
    const context = requestContextOf(res);
    if (req.headers.authorization === undefined || !anonymous.charge(context.client).admitted) return false;
    const caller = await identify(req).catch(() => undefined);
    if (caller?.key.role !== 'admin') return false;
    anonymous.refund(context.client, 1);
    context.caller = caller;
    return true;
  }

  return async (req, res) => {
    if (await isForAdmin(req, res)) {
      const { ready, checks } = await readiness();
      send(res, ready, { checks });
    } else {
      const { client } = requestContextOf(res);
      send(res, await publicReadiness(() => anonymous.charge(client).admitted));
    }
  };
}

function send(res: Response, ready: boolean, details: Partial<Pick<Readiness, 'checks'>> = {}): void {
  res.setHeader('Cache-Control', 'no-store');
  if (ready) {
    res.json({ status: 'ready', ...details });
    return;
  }
  res.setHeader('Retry-After', RETRY_AFTER_SECONDS);
  res.status(503).json({ status: 'unavailable', ...details, retryAfterSeconds: RETRY_AFTER_SECONDS });
}
