import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedisServer } from '../../test/support/redis-server.js';
import type { Keys } from '../load.js';
import { fillWithPets, type BenchDatabase } from '../targets/database.js';
import { openGatewayKeys } from '../targets/gateway-keys.js';
import { startServer, type RunningServer } from '../targets/running-server.js';

export const STORES = ['MongoDB', 'Redis'] as const;
export type Store = (typeof STORES)[number];

/** One store of counts, with pets and a key, for gateways of any number of workers. */
export interface World {
  keys: (seconds: number) => Promise<Keys>;
  redisPid: number | undefined;
  /** With its default settings, its log in a file. */
  startGateway: (workers: number) => Promise<RunningServer>;
  close: () => Promise<void>;
}

export async function openWorld(store: Store, database: BenchDatabase, pets: number): Promise<World> {
  const uri = database.uriOf(`workers-${store}`);
  await fillWithPets(uri, pets);
  const keys = await openGatewayKeys(uri);
  const redis = store === 'Redis' ? await startRedisServer() : undefined;
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-bench-'));
  return {
    keys: (seconds) => keys.of('one', seconds),
    redisPid: redis?.pid,
    startGateway: (workers) =>
      startServer(
        process.execPath,
        [join(__dirname, '../../bin/pets-gateway.js'), 'serve'],
        {
          MONGODB_URI: uri,
          PORT: '0',
          WORKERS: String(workers),
          LOG_LEVEL: 'info',
          ...(redis && { REDIS_URL: redis.url }),
        },
        join(folder, `log-${workers}`),
      ),
    async close() {
      await keys.close();
      await redis?.close();
      await rm(folder, { recursive: true });
    },
  };
}
