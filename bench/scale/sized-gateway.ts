import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startServer, type RunningServer } from '../targets/running-server.js';
import type { FilledDatabase } from './filled-database.js';
import { createOperations, type Operation } from './operations.js';
import type { OperationName } from './sizes.js';

/** The built gateway over a database of one size. */
export interface SizedGateway extends RunningServer {
  database: FilledDatabase;
  operations: Readonly<Record<OperationName, Operation>>;
}

const PROGRAM = join(__dirname, '../../bin/pets-gateway.js');

/** With default settings, but that it remembers one key only: asked by many in turn, it looks each up. */
export async function startSizedGateway(database: FilledDatabase): Promise<SizedGateway> {
  const adminSecret = randomBytes(24).toString('hex');
  const server = await startServer(process.execPath, [PROGRAM, 'serve'], {
    MONGODB_URI: database.uri,
    PORT: '0',
    LOG_LEVEL: 'warn',
    KEY_CACHE_MAX: '1',
    ADMIN_API_KEY: adminSecret,
    ADMIN_REQUESTS_PER_MINUTE: '10000000',
  });
  return {
    ...server,
    database,
    operations: createOperations(database.size, database.keys, adminSecret),
  };
}
