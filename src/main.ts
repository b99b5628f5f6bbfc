import { createApp } from './app.js';
import type { Config } from './config.js';
import { createGatewayServer } from './http/server.js';
import { strangerHeaders } from './http/rate-limit-headers.js';
import { systemClock } from './lib/clock.js';
import { createLogger } from './lib/logger.js';
import { openDatabase, type Database } from './mongo/database.js';
import { createFirstStart } from './mongo/first-start.js';
import { renderBanner } from './banner.js';
import { seedFirstStart } from './seed.js';
import { createClientLimiter } from './quotas/client-limiter.js';
import { createServices, type Services } from './services.js';

/** The port is taken, or may not be used. */
export class CannotListen extends Error {
  constructor(host: string, port: number, cause: unknown) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'another program uses it' : message;
    super(`cannot listen on ${host}:${port}: ${reason}. Set PORT or HOST to something else.`, { cause });
    this.name = 'CannotListen';
  }
}

const STRONG_KEY_LENGTH = 24;

/**
 * The process: binds the port, opens the database, builds, seeds, serves; resolves when a signal has ended it
 * and everything is closed. The port comes first, so that a start that cannot succeed touches no data.
 *
 * @throws CannotListen, and what openDatabase throws
 */
export async function serve(config: Config): Promise<void> {
  const log = createLogger({ level: config.logLevel, pretty: process.stderr.isTTY });
  const strangers = createClientLimiter(config.anonymousRequestsPerMinute, systemClock);
  const gateway = createGatewayServer(strangerHeaders({ anonymous: strangers, clock: systemClock }));
  const stopped = stopSignal();
  let ready = false;
  // What hangs in a start cannot be waited for. An embedded mongod ends with this process, at whatever it was.
  void stopped.then((signal) => {
    if (ready) return;
    log.info({ reason: signal }, 'stopped before it was ready');
    process.exit(0);
  });
  let database: Database | undefined;
  let services: Services | undefined;
  let databaseLost = false;
  try {
    const port = await gateway.listen(config.port, config.host).catch((error: unknown) => {
      throw new CannotListen(config.host, config.port, error);
    });
    database = await openDatabase(config, { join: false, progress: (line) => log.info(line) });
    services = await createServices(config, database.connection, log, systemClock);
    if (config.adminApiKey !== undefined && config.adminApiKey.length < STRONG_KEY_LENGTH)
      log.warn(`ADMIN_API_KEY has fewer than ${STRONG_KEY_LENGTH} characters: it could be guessed`);
    const firstStart = createFirstStart(database.connection);
    const seeded = database.embedded ? await seedFirstStart(services, firstStart) : {};
    gateway.handle(createApp(services), strangerHeaders(services));
    ready = true;
    const hasAdmin = config.adminApiKey !== undefined || (await hasAdminKey(services));
    process.stdout.write(renderBanner({ host: config.host, port, hasAdmin }, seeded));

    const ended = await Promise.race([stopped, database.lost]);
    databaseLost = ended !== 'SIGTERM' && ended !== 'SIGINT';
    log.info({ reason: ended }, 'stopping');
    if (databaseLost) throw new Error(ended);
  } finally {
    await gateway.drain(config.shutdownGraceMs);
    await services?.close({ databaseLost });
    await database?.close();
    if (ready) log.info('stopped');
  }
}

async function hasAdminKey({ apiKeys }: Services): Promise<boolean> {
  const query = { first: 1, filter: { role: 'admin', state: 'active' }, orderBy: 'createdAt' } as const;
  return (await apiKeys.page(query)).entries.length > 0;
}

/** Resolves at the first SIGTERM or SIGINT; from then on a second one ends the process as usual. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, resolve);
  });
}
