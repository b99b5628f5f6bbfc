import type { Config } from '../config/config.js';
import { systemClock } from '../lib/clock.js';
import { createLogger } from '../lib/logger.js';
import { prepareDatabase } from '../app/migrations/prepare-database.js';
import { connectTo, type Database } from '../platform/mongod/database.js';
import { createServices, type Services } from '../app/services.js';
import { startTracing } from '../observability/tracing/start-tracing.js';
import { NO_TRACING } from '../observability/tracing/tracing.js';
import { beginServing } from './begin-serving.js';
import { listen, type Listener } from './listener.js';
import type { Beginning, ToPrimary, ToWorker } from './messages.js';
import { collectDefaultMetrics } from 'prom-client';
import { exitOnCrash, stopSignal } from './stop-signal.js';
import { createWorkerBus } from './worker-bus.js';

/**
 * One of the processes that answer requests when WORKERS is above 1. At the start of a gateway, a worker binds the port
 * first, as `serveAlone` does. A replacement worker serves from its first connection on. A worker ends on a `stop`
 * message, on a signal, or when the primary process is gone.
 */
export async function work(config: Config): Promise<void> {
  const log = createLogger({ level: config.logLevel, pretty: process.stderr.isTTY });
  exitOnCrash(log);
  const { bus, receive } = createWorkerBus(send);
  const { listenFirst, begin, stop } = readMessages((message) => {
    receive(message);
    if (message.kind === 'sendMetrics') void sendMetrics(message.receipt);
    if (message.kind === 'sendReadiness') void sendReadiness(message.receipt);
  });
  const stopped = stop.then(() => undefined);
  let listener: Listener | undefined;
  let connection: Database['connection'] | undefined;
  let services: Services | undefined;
  let tracing = NO_TRACING;
  let how = { databaseLost: true };

  async function sendMetrics(receipt: string): Promise<void> {
    const metrics = (await services?.metrics.ofProcess.getMetricsAsJSON()) ?? [];
    send({ kind: 'metrics', receipt, metrics });
  }

  async function sendReadiness(receipt: string): Promise<void> {
    const readiness = await services?.readiness();
    if (readiness !== undefined) send({ kind: 'readiness', receipt, readiness });
  }

  try {
    const toldFirst = await Promise.race([listenFirst.then(() => 'listenFirst'), begin, stopped]);
    if (toldFirst === 'listenFirst') {
      listener = await listen(config);
      send({ kind: 'listening', port: listener.port });
    }
    const beginning = await Promise.race([begin, stopped]);
    if (beginning !== undefined) {
      const { mongodbUri, listedOperations: listed } = beginning;
      connection = await connectTo(config, mongodbUri);
      await prepareDatabase(config, connection, log);
      tracing = await startTracing(config, log);
      const complete = { ...config, graphqlOperations: { ...config.graphqlOperations, listed } };
      services = await createServices(complete, connection, log, systemClock, bus, tracing);
      await services.jobs.startOwn();
      collectDefaultMetrics({ register: services.metrics.ofProcess });
      listener ??= await listen(config);
      beginServing(listener.server, services);
      await services.jobs.startShared();
      send({ kind: 'serving' });
    }
    how = await stop;
  } catch (error) {
    if (!process.connected) throw error;
    // The primary process reports the failure, once for all workers.
    send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    process.exitCode = 1;
  } finally {
    await listener?.drain();
    await services?.close(how);
    await tracing.stop();
    await connection?.close();
    if (process.connected) process.disconnect();
  }
}

interface Messages {
  listenFirst: Promise<void>;
  begin: Promise<Beginning>;
  stop: Promise<{ databaseLost: boolean }>;
}

function readMessages(others: (message: ToWorker) => void): Messages {
  const messageOf = <K extends ToWorker['kind']>(kind: K) =>
    new Promise<Extract<ToWorker, { kind: K }>>((resolve) => {
      process.on('message', (message: ToWorker) => {
        if (message.kind === kind) resolve(message as Extract<ToWorker, { kind: K }>);
      });
    });
  process.on('message', others);
  const gone = new Promise<{ databaseLost: boolean }>((resolve) => {
    // The primary process owned the mongod if it is embedded, so that mongod is gone too.
    process.once('disconnect', () => resolve({ databaseLost: true }));
  });
  return {
    listenFirst: messageOf('listenFirst').then(() => undefined),
    begin: messageOf('begin'),
    stop: Promise.race([messageOf('stop'), gone, stopSignal().then(() => ({ databaseLost: false }))]),
  };
}

function send(message: ToPrimary): void {
  // Once the primary process is gone, no process receives messages.
  if (process.connected) process.send?.(message, () => undefined);
}
