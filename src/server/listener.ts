import type { Config } from '../config/config.js';
import { unauthenticatedHeaders } from '../http/answers/rate-limit-headers.js';
import type { Entrance } from '../http/server/entrance.js';
import { createGatewayServer, type GatewayServer } from '../http/server/server.js';
import { systemClock } from '../lib/clock.js';
import { createClientLimiter } from '../features/limiter/client-limiter.js';

/** Why a port cannot be bound and what to do, by errno(3) code. */
const REASONS: ReadonlyMap<string | undefined, { reason: string; remedy?: string }> = new Map([
  [
    'EADDRINUSE',
    {
      reason: 'another program uses it',
      remedy:
        'If that program is this gateway, it is already running. Otherwise stop it, or set $settings to another ' +
        'value, for example: PORT=3001 npm start',
    },
  ],
  [
    'EACCES',
    {
      reason: 'this user has no permission to use this port',
      remedy: 'Set $settings to another value. Ports from 1024 need no permission.',
    },
  ],
  [
    'EADDRNOTAVAIL',
    {
      reason: 'this machine does not have this address',
      remedy: 'Set HOST to an address of this machine, or to 0.0.0.0 for all of them.',
    },
  ],
]);

/** The port is in use, or this process may not bind it. */
export class CannotListen extends Error {
  /** @param settings the settings to change, for the message */
  constructor(host: string, port: number, settings: string, cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const { reason, remedy = 'Set $settings to another value.' } = REASONS.get(code) ?? { reason: message };
    super(`cannot listen on ${host}:${port}: ${reason}. ${remedy.replace('$settings', settings)}`, { cause });
    this.name = 'CannotListen';
  }
}

export interface Listener {
  /** PORT, or the port that the system chose if PORT is 0. */
  port: number;
  /** Answers 503 to requests, and rejects HTTPS connections, until it is given an app: see beginServing. */
  server: Pick<GatewayServer, 'handle'>;
  /** Stops accepting connections and waits for requests in flight, at most SHUTDOWN_GRACE_SECONDS. */
  drain(): Promise<void>;
}

/**
 * Binds the ports. Runs before any other step, so that a start that cannot succeed touches no data.
 * @throws CannotListen
 */
export async function listen(config: Config): Promise<Listener> {
  const { host, anonymousRequestsPerMinute, shutdownGraceMs, publicUrl, http2 } = config;
  const anonymous = createClientLimiter(anonymousRequestsPerMinute, systemClock);
  const startingHeaders = unauthenticatedHeaders({ anonymous, clock: systemClock });
  const gateway = createGatewayServer(startingHeaders, undefined, publicUrl, http2);

  async function bind(port: number, setting: string, entrance: Entrance): Promise<number> {
    try {
      return await gateway.listen(port, host, entrance);
    } catch (error) {
      await gateway.drain(0);
      throw new CannotListen(host, port, `${setting} or HOST`, error);
    }
  }
  const port = await bind(config.port, 'PORT', 'main');
  if (config.httpPort !== undefined) await bind(config.httpPort, 'HTTP_PORT', 'http');
  if (config.httpsPort !== undefined) await bind(config.httpsPort, 'HTTPS_PORT', 'https');
  return {
    port,
    server: gateway,
    drain: () => gateway.drain(shutdownGraceMs),
  };
}
