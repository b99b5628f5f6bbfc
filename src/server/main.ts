import cluster from 'node:cluster';
import type { Config } from '../config/config.js';
import { withListedOperations } from '../interfaces/graphql/persisted-operations.js';
import { createSchemaAlone } from '../interfaces/graphql/schema/schema.js';
import { serveAlone } from './serve-alone.js';
import { serveWorkers } from './serve-workers.js';
import { work } from './worker.js';

/**
 * The process that `pets-gateway serve` starts: the whole gateway, or, with WORKERS above 1, the primary process or one
 * of the workers. Resolves after an orderly shutdown.
 * With `join`, an embedded mongod may belong to another process that outlives this one, as under `npm run dev`.
 *
 * @throws ConfigError, CannotListen; errors of openDatabase
 */
export async function serve(config: Config, { join }: { join: boolean } = { join: false }): Promise<void> {
  if (cluster.isWorker) return work(config);
  // Reads the operations file before a port is bound or data is touched.
  const complete = withListedOperations(config, createSchemaAlone);
  return complete.workers === 1 ? serveAlone(complete, join) : serveWorkers(complete, join);
}
