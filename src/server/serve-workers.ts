import type { Config } from '../config/config.js';
import { systemClock } from '../lib/clock.js';
import { createLogger } from '../lib/logger.js';
import { recordGateway } from '../platform/mongod/data-dir.js';
import type { Database } from '../platform/mongod/database.js';
import { listenForMetrics, type MetricsListener } from './metrics-listener.js';
import { loadGateway, openWithDisplay } from './open-with-display.js';
import { startDisplay } from './start-display.js';
import { exitOnCrash, exitUnlessReady, stopSignal } from './stop-signal.js';
import { startWorkerPool } from './worker-pool.js';

/** How long a worker may take to close, in milliseconds, beyond the time for requests in flight. */
const CLOSE_MS = 5000;

/**
 * The primary process of a gateway with WORKERS above 1. It owns the database, seeds it once, keeps as many workers as WORKERS says on
 * the port, relays their messages, and closes the database when the last worker has ended.
 *
 * @throws Error with the message of a worker that cannot start; errors of openDatabase; Error when an embedded mongod
 * ends unexpectedly
 */
export async function serveWorkers(config: Config, join: boolean): Promise<void> {
  const log = createLogger({ level: config.logLevel, pretty: process.stderr.isTTY });
  exitOnCrash(log);
  const stopped = stopSignal();
  const ready = exitUnlessReady(stopped, log);
  const display = startDisplay(log, config.logLevel);
  const workers = startWorkerPool(config.workers, log);
  let metricsListener: MetricsListener | undefined;
  let database: Database | undefined;
  let serving = false;
  let databaseLost = false;
  try {
    metricsListener = await listenForMetrics(config);
    const port = await workers.listening;
    database = await openWithDisplay(config, join, display);
    const { beginDatabase, createServices } = await loadGateway();
    // Only to seed: the workers serve with services of their own. The gauges of the database only read it, and stay.
    const services = await createServices(config, database.connection, log, systemClock);
    const banner = await beginDatabase(config, database, services, display).finally(() => services.close());
    await workers.begin(
      { mongodbUri: database.uri, listedOperations: config.graphqlOperations.listed },
      services.metrics.ofDatabase,
    );
    const { contentType } = services.metrics;
    metricsListener?.begin({
      expose: () => workers.gatherMetrics(),
      contentType,
      readiness: () => workers.readiness(),
    });
    ready();
    serving = true;
    if (database.embedded) await recordGateway(config.dataDir, { host: config.host, port: port });
    display.stop();
    process.stdout.write(banner(port));

    const ended = await Promise.race([stopped, database.lost]);
    databaseLost = ended !== 'SIGTERM' && ended !== 'SIGINT';
    log.info({ reason: ended }, 'stopping');
    if (databaseLost) throw new Error(ended);
  } finally {
    display.stop();
    await workers.stop({ databaseLost, graceMs: config.shutdownGraceMs + CLOSE_MS });
    await metricsListener?.close();
    await database?.close();
    if (serving) log.info('stopped');
  }
}
