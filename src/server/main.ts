import cluster from 'node:cluster';
import { createRequire } from 'node:module';
import type { Config } from '../config/config.js';
import { serveAlone } from './serve-alone.js';
import type * as Worker from './worker.js';

/**
 * The process that `pets-gateway serve` starts: the whole gateway, or, with WORKERS above 1, the primary process or one
 * of the workers. Resolves after an orderly shutdown.
 * With `join`, an embedded mongod may belong to another process that outlives this one, as under `npm run dev`.
 *
 * @throws ConfigError, CannotListen; errors of openDatabase
 */
export async function serve(config: Config, { join }: { join: boolean } = { join: false }): Promise<void> {
  if (cluster.isWorker) {
    // Not with import(): messages of the primary process that arrive during import() would be lost.
    const { work } = createRequire(__filename)('./worker.js') as typeof Worker;
    return work(config);
  }
  const complete = await withListedOperations(config);
  if (complete.workers === 1) return serveAlone(complete, join);
  const { serveWorkers } = await import('./serve-workers.js');
  return serveWorkers(complete, join);
}

/** Reads the operations file before a port is bound or data is touched. @throws ConfigError */
async function withListedOperations(config: Config): Promise<Config> {
  if (config.graphqlOperations.file === undefined) return config;
  const { withListedOperations: complete } = await import('../interfaces/graphql/persisted-operations.js');
  const { createSchemaAlone } = await import('../interfaces/graphql/schema/schema.js');
  return complete(config, createSchemaAlone);
}
