import cluster from 'node:cluster';
import type { Config } from './config.js';
import { withListedOperations } from './graphql/persisted-operations.js';
import { createSchemaAlone } from './graphql/schema.js';
import { serveAlone } from './serving/serve-alone.js';
import { serveWorkers } from './serving/serve-workers.js';
import { work } from './serving/worker.js';

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
