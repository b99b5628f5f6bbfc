import type { Request, Response } from 'express';
import type { Absence } from '../../features/publishing/sites/live-domains.js';
import { HOUR_MS, type Clock } from '../../lib/clock.js';
import type { Logger } from '../../lib/logger.js';
import { isLoopback } from '../../lib/loopback.js';
import { misdirected } from './host-routing.js';
import { nothingHere } from './serve-files.js';
import { isForVisitor, sendVisitorPage, VISITOR_PAGES } from './visitor-page.js';

export interface AbsentHostParts {
  platformHost: string;
  /** PUBLIC_URL. */
  publicUrl: string;
  log: Pick<Logger, 'warn'>;
  clock: Clock;
}

/** Maximum number of unknown hosts to log per hour, each once. Internet scanners ask for any name. */
const MOST_LOGGED = 10;
const LONGEST_HOST = 253;

/**
 * Returns a step for hosts where no site is served: visitors get a page, other clients an error. If nobody knows the
 * host, the cause may be a wrong PUBLIC_URL. So the host is logged, and the response names PUBLIC_URL if a client on
 * this machine used a loopback address. Other clients do not learn any other host name.
 *
 * @throws ApiError not_found if the host has a project without a deploy; misdirected_request (RFC 9110 section 15.5.20)
 * for all others, because the gateway has no authority over them, or not any more
 */
export function answerAbsentHost({
  platformHost,
  publicUrl,
  log,
  clock,
}: AbsentHostParts): (req: Request, res: Response, host: string, absence: Absence) => void {
  const logged = new Set<string>();
  let hour = 0;

  function logUnknown(host: string): void {
    const now = Math.floor(clock() / HOUR_MS);
    if (now !== hour) logged.clear();
    hour = now;
    if (logged.size >= MOST_LOGGED || logged.has(host)) return;
    logged.add(host);
    log.warn(
      { host: host.slice(0, LONGEST_HOST), publicUrl },
      'Rejected a request for an unknown host with 421: should PUBLIC_URL name this host?',
    );
  }

  const isOfPlatform = (host: string) => host === platformHost || host.endsWith(`.${platformHost}`);

  return (req, res, host, absence) => {
    const isUnknown = absence === 'unknown';
    if (isUnknown) logUnknown(host);
    const hint =
      isUnknown && isAtThisMachine(req, host)
        ? `PUBLIC_URL is ${publicUrl}: open that, or set PUBLIC_URL to the address that you opened.`
        : undefined;
    const error = absence === 'unpublished' ? nothingHere() : misdirected(hint);
    if (!isForVisitor(req)) throw error;
    const { advice, ...page } = VISITOR_PAGES[absence];
    sendVisitorPage(res, error.status, {
      ...page,
      advice: hint ?? (isOfPlatform(host) && isAboutDomains(absence) ? undefined : advice),
    });
  };
}

/** Whether the page tells the owner to add a domain. Nobody can add a host of the platform. */
function isAboutDomains(absence: Absence): boolean {
  return absence === 'unknown' || absence === 'removed';
}

/** A proxy on this machine also connects from a loopback address, on behalf of any client. */
function isAtThisMachine({ socket, headers }: Request, host: string): boolean {
  const address = socket.remoteAddress?.replace(/^::ffff:/, '') ?? '';
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
  return isLoopback(host) && isLoopback(address) && !isForwarded;
}
