/**
 * The gateway, built, with nobody asked for a key and nothing counted: what keys and quotas cost is the difference.
 * It is put together here because no setting of the gateway may switch them off. Argument: MongoDB's URI.
 */
const { createApp } = require('../../dist/app/app.js');
const { parseConfig } = require('../../dist/config/config.js');
const { unauthenticatedHeaders } = require('../../dist/http/answers/rate-limit-headers.js');
const { createGatewayServer } = require('../../dist/http/server/server.js');
const { systemClock } = require('../../dist/lib/clock.js');
const { createLogger } = require('../../dist/lib/logger.js');
const { prepareDatabase } = require('../../dist/app/migrations/prepare-database.js');
const { openDatabase } = require('../../dist/platform/mongod/database.js');
const { createServices } = require('../../dist/app/services.js');

const CALLER = {
  key: {
    id: 'key_bench',
    name: 'anybody',
    role: 'server',
    projectId: 'proj_bench',
    secrets: [],
    allowedOrigins: [],
    createdAt: new Date(),
    epochs: { minute: 0, day: 0 },
    usageToday: 0,
  },
  project: { id: 'proj_bench', name: 'bench', plan: 'free', createdAt: new Date() },
  meter: { id: 'key_bench', windows: [] },
};
const ADMITTED = { windows: [], effectiveWindow: undefined };

const everybody = { authenticate: () => Promise.resolve(CALLER) };
const unlimited = {
  refusedAtOnce: () => undefined,
  charge: (_caller, cost) => Promise.resolve({ ...ADMITTED, charged: cost }),
  foresee: () => Promise.resolve(undefined),
  state: () => Promise.resolve(ADMITTED),
};

async function main() {
  const config = parseConfig({ MONGODB_URI: process.argv[2], LOG_LEVEL: 'warn' });
  const log = createLogger({ level: config.logLevel, pretty: false });
  const { connection } = await openDatabase(config, { join: false, progress: () => undefined });
  await prepareDatabase(config, connection, log);
  const services = await createServices(config, connection, log, systemClock);
  await services.jobs.startOwn();
  const recorder = { ...services.recorder, noteUse: () => undefined, noteWindows: () => undefined };
  const open = { ...services, authenticator: everybody, quotas: unlimited, recorder };
  const server = createGatewayServer(unauthenticatedHeaders(open));
  server.handle(createApp(open), unauthenticatedHeaders(open));
  console.log(`http://127.0.0.1:${await server.listen(0, '127.0.0.1')}`);
}

void main();
