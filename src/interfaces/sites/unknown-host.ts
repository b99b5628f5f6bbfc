import type { Request } from 'express';
import type { ApiError } from '../../lib/errors.js';
import { MINUTE_MS, type Clock } from '../../lib/clock.js';
import type { Logger } from '../../lib/logger.js';
import { isLoopback } from '../../lib/loopback.js';
import { misdirected } from './host-routing.js';

export interface UnknownHostParts {
  /** PUBLIC_URL. */
  publicUrl: string;
  log: Pick<Logger, 'warn'>;
  clock: Clock;
}

/** Maximum number of unknown hosts to log per hour, each once. Internet scanners ask for any name. */
const MOST_TOLD = 10;
const HOUR_MS = 60 * MINUTE_MS;
const LONGEST_HOST = 253;

/**
 * Returns a function that gives the error for a host that has no site. The cause may be a wrong PUBLIC_URL, so the host
 * is logged, and the error names PUBLIC_URL if a client on this machine used a loopback address. Other clients do not
 * learn any other host name.
 */
export function answerUnknownHost({
  publicUrl,
  log,
  clock,
}: UnknownHostParts): (req: Request, host: string) => ApiError {
  const told = new Set<string>();
  let hour = 0;
  return (req, host) => {
    const now = Math.floor(clock() / HOUR_MS);
    if (now !== hour) told.clear();
    hour = now;
    if (told.size < MOST_TOLD && !told.has(host)) {
      told.add(host);
      log.warn(
        { host: host.slice(0, LONGEST_HOST), publicUrl },
        'Rejected a request for an unknown host with 421: should PUBLIC_URL name this host?',
      );
    }
    return misdirected(
      isAtThisMachine(req, host)
        ? `PUBLIC_URL is ${publicUrl}: open that, or set PUBLIC_URL to the address that you opened.`
        : undefined,
    );
  };
}

/** A proxy on this machine also connects from a loopback address, on behalf of any client. */
function isAtThisMachine({ socket, headers }: Request, host: string): boolean {
  const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return isLoopback(host) && isLoopback(address) && !isForwarded;
}
