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

/** Whoever scans the internet asks for any name: so many are told in the log in an hour, once each. */
const MOST_TOLD = 10;
const HOUR_MS = 60 * MINUTE_MS;
const LONGEST_HOST = 253;

/**
 * The answer to a request for a host that is nobody's. Its reason may be a PUBLIC_URL that is not what people open: so
 * it is in the log, and in the answer where somebody at this machine has opened it by its loopback address. Other clients
 * are told no other name.
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
        'a host that is nobody’s was asked for and answered 421: is it meant to be in PUBLIC_URL?',
      );
    }
    return misdirected(
      isAtThisMachine(req, host)
        ? `PUBLIC_URL is ${publicUrl}: open that, or set PUBLIC_URL to the address that you opened.`
        : undefined,
    );
  };
}

/** A proxy on this machine connects from here as well, for anybody. */
function isAtThisMachine({ socket, headers }: Request, host: string): boolean {
  const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return isLoopback(host) && isLoopback(address) && !isForwarded;
}
