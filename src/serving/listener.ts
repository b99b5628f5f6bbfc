import { createApp } from '../app.js';
import type { Config } from '../config.js';
import { strangerHeaders } from '../http/rate-limit-headers.js';
import { createGatewayServer } from '../http/server.js';
import { systemClock } from '../lib/clock.js';
import { createClientLimiter } from '../quotas/client-limiter.js';
import type { Services } from '../services.js';

/** The port is taken, or may not be used. */
export class CannotListen extends Error {
  constructor(host: string, port: number, cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'another program uses it' : message;
    super(`cannot listen on ${host}:${port}: ${reason}. Set PORT or HOST to something else.`, { cause });
    this.name = 'CannotListen';
  }
}

export interface Listener {
  port: number;
  /** From now on requests are answered by the app; before, with 503. */
  begin(services: Services): void;
  /** Stops accepting and waits for what is under way, at most SHUTDOWN_GRACE_SECONDS. */
  drain(): Promise<void>;
}

/**
 * Binds the port before anything else is done: a start that cannot succeed touches no data.
 * @throws CannotListen
 */
export async function listen({
  host,
  port,
  anonymousRequestsPerMinute,
  shutdownGraceMs,
}: Config): Promise<Listener> {
  const anonymous = createClientLimiter(anonymousRequestsPerMinute, systemClock);
  const gateway = createGatewayServer(strangerHeaders({ anonymous, clock: systemClock }));
  const boundPort = await gateway.listen(port, host).catch((error: unknown) => {
    throw new CannotListen(host, port, error);
  });
  return {
    port: boundPort,
    begin: (services) => gateway.handle(createApp(services), strangerHeaders(services)),
    drain: () => gateway.drain(shutdownGraceMs),
  };
}
