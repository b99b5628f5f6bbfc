import type { Config } from '../config/config.js';
import { systemClock } from '../lib/clock.js';
import { createLogger } from '../lib/logger.js';
import { recordGateway } from '../platform/mongod/data-dir.js';
import type { Database } from '../platform/mongod/database.js';
import { LOCAL_BUS } from '../features/system/bus.js';
import type { Services } from '../app/services.js';
import { NO_TRACING } from '../observability/tracing/tracing.js';
import { listen } from './listener.js';
import { listenForMetrics, type MetricsListener } from './metrics-listener.js';
import { loadGateway, openWithDisplay } from './open-with-display.js';
import { startDisplay } from './start-display.js';
import { exitOnCrash, exitUnlessReady, stopSignal } from './stop-signal.js';

/**
 * Runs a gateway of one process: binds the port, opens the database, creates the services, seeds and serves. Resolves
 * after a stop signal, once everything is closed.
 *
 * @throws CannotListen; errors of openDatabase; Error when an embedded mongod ends unexpectedly
 */
export async function serveAlone(config: Config, join: boolean): Promise<void> {
  const log = createLogger({ level: config.logLevel, pretty: process.stderr.isTTY });
  exitOnCrash(log);
  const stopped = stopSignal();
  const ready = exitUnlessReady(stopped, log);
  const display = startDisplay(log, config.logLevel);
  const listener = await listen(config);
  let metricsListener: MetricsListener | undefined;
  let database: Database | undefined;
  let services: Services | undefined;
  let tracing = NO_TRACING;
  let serving = false;
  let databaseLost = false;
  try {
    metricsListener = await listenForMetrics(config);
    database = await openWithDisplay(config, join, display);
    const gateway = await loadGateway();
    tracing = await gateway.startTracing(config, log);
    services = await gateway.createServices(
      config,
      database.connection,
      log,
      systemClock,
      LOCAL_BUS,
      tracing,
    );
    await services.jobs.startOwn();
    const banner = await gateway.beginDatabase(config, database, services, display);
    gateway.collectDefaultMetrics({ register: services.metrics.ofProcess });
    gateway.beginServing(listener.server, services);
    const { metrics, readiness } = services;
    metricsListener?.begin({ ...metrics, readiness });
    await services.jobs.startShared();
    ready();
    serving = true;
    if (database.embedded) await recordGateway(config.dataDir, { host: config.host, port: listener.port });
    display.stop();
    process.stdout.write(banner(listener.port));

    const ended = await Promise.race([stopped, database.lost]);
    databaseLost = ended !== 'SIGTERM' && ended !== 'SIGINT';
    log.info({ reason: ended }, 'stopping');
    if (databaseLost) throw new Error(ended);
  } finally {
    display.stop();
    await listener.drain();
    await metricsListener?.close();
    await services?.close({ databaseLost });
    await tracing.stop();
    await database?.close();
    if (serving) log.info('stopped');
  }
}
