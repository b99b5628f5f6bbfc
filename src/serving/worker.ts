import type { Config } from '../config.js';
import { systemClock } from '../lib/clock.js';
import { createLogger } from '../lib/logger.js';
import { connectTo } from '../mongo/database.js';
import { createServices, type Services } from '../services.js';
import { listen } from './listener.js';
import type { ToPrimary, ToWorker } from './messages.js';
import { stopSignal } from './stop-signal.js';
import { createWorkerPeers } from './worker-peers.js';

/**
 * One of the processes that answer requests, where WORKERS is above 1: it listens, waits to be told where the
 * database is, serves, and ends when it is told to, when it gets a signal, or when the first process is gone.
 */
export async function work(config: Config): Promise<void> {
  const log = createLogger({ level: config.logLevel, pretty: process.stderr.isTTY });
  const { peers, receive } = createWorkerPeers(send);
  const begun = new Promise<string>((resolve) => {
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'begin') resolve(message.mongodbUri);
      else receive(message);
    });
  });
  const stopped = new Promise<{ databaseLost: boolean }>((resolve) => {
    void stopSignal().then(() => resolve({ databaseLost: false }));
    // Who owned an embedded mongod is gone, and mongod with it.
    process.once('disconnect', () => resolve({ databaseLost: true }));
    process.on('message', (message: ToWorker) => {
      if (message.kind === 'stop') resolve(message);
    });
  });
  try {
    const listener = await listen(config);
    async function beginService(uri: string): Promise<Pick<Services, 'close'>> {
      const connection = await connectTo(config, uri);
      const services = await createServices(config, connection, log, systemClock, peers);
      listener.begin(services);
      send({ kind: 'serving' });
      return {
        async close(how) {
          await services.close(how);
          await connection.close();
        },
      };
    }

    send({ kind: 'listening', port: listener.port });
    const mongodbUri = await Promise.race([begun, stopped.then(() => undefined)]);
    const service = mongodbUri === undefined ? undefined : await beginService(mongodbUri);
    const how = await stopped;
    await listener.drain();
    await service?.close(how);
  } catch (error) {
    send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    throw error;
  } finally {
    if (process.connected) process.disconnect();
  }
}

function send(message: ToPrimary): void {
  // Once the first process is gone, nobody is left to be told.
  if (process.connected) process.send?.(message, () => undefined);
}
