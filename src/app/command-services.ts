import type { Connection } from 'mongoose';
import type { Config } from '../config/config.js';
import { createKeyCache } from '../features/keys/key-cache.js';
import type { Clock } from '../lib/clock.js';
import type { Logger } from '../lib/logger.js';
import { NO_TRACING } from '../observability/tracing/tracing.js';
import { createSharedServices, withQuotaStore } from './shared-services.js';

/** The services that commands use. */
export type CommandServices = Awaited<ReturnType<typeof createCommandServices>>;

/**
 * The composition root of the command line. Unlike `createServices`, it loads no interface, metrics, traces or
 * background jobs. Running gateways notice the changes through MongoDB's change stream.
 */
export async function createCommandServices(
  config: Config,
  connection: Connection,
  log: Logger,
  clock: Clock,
) {
  const ignore = () => undefined;
  const metrics = { timeStore: () => ignore, timeDecision: ignore };
  return withQuotaStore(config, connection, metrics, log, clock, undefined, (quotaStore) => {
    const { services, plainPets } = createSharedServices(config, connection, log, clock, {
      quotaStore,
      keyCache: createKeyCache(config.keyCache),
      evictHere: ignore,
      evictEverywhere: () => Promise.resolve(),
      wakeDomains: ignore,
      metrics,
      tracing: NO_TRACING,
    });
    return {
      ...services,
      pets: plainPets,
      /** The connection to MongoDB stays open: its creator closes it. */
      async close() {
        await Promise.all([services.removals.close(), services.petsImports.close()]);
        await quotaStore.close();
      },
    };
  });
}
