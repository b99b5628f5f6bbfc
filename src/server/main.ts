import cluster from 'node:cluster';
import type { Config } from '../config/config.js';
import { withListedOperations } from '../interfaces/graphql/persisted-operations.js';
import { createSchemaAlone } from '../interfaces/graphql/schema/schema.js';
import { serveAlone } from './serve-alone.js';
import { serveWorkers } from './serve-workers.js';
import { work } from './worker.js';

/**
 * The process that `pets-gateway serve` starts: the gateway, the first of its processes where WORKERS is above 1, or
 * one of the others. Resolves when it has ended in good order.
 * With `join` an embedded mongod may be another process's, which outlives this one: so it is under `npm run dev`.
 *
 * @throws ConfigError, CannotListen, and what openDatabase throws
 */
export async function serve(config: Config, { join }: { join: boolean } = { join: false }): Promise<void> {
  if (cluster.isWorker) return work(config);
  // Before a port is bound or data are touched.
  const complete = withListedOperations(config, createSchemaAlone);
  return complete.workers === 1 ? serveAlone(complete, join) : serveWorkers(complete, join);
}
