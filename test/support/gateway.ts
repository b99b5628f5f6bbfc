import type { IssuedKey, CreateApiKey } from '../../src/features/keys/api-keys-service.js';
import { parseConfig } from '../../src/config/config.js';
import { unauthenticatedHeaders } from '../../src/http/answers/rate-limit-headers.js';
import { createGatewayServer } from '../../src/http/server/server.js';
import { systemClock, type Clock } from '../../src/lib/clock.js';
import { createLogger } from '../../src/lib/logger.js';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import type { CustomQuota, PlanId } from '../../src/features/plans/plans.js';
import { withListedOperations } from '../../src/interfaces/graphql/persisted-operations.js';
import { createSchemaAlone } from '../../src/interfaces/graphql/schema/schema.js';
import { prepareDatabase } from '../../src/app/migrations/prepare-database.js';
import { wantedDatabase } from '../../src/app/migrations/wanted-database.js';
import { createServices, type Services } from '../../src/app/services.js';
import { beginServing } from '../../src/server/begin-serving.js';
import type { Operations } from '../../src/http/versioning/operations.js';
import { expectDocumented, isDescribed } from './expect-documented.js';
import { emptyDatabase, leaveDatabase, shareDatabase, takeDatabase } from './reused-databases.js';

export interface TestGateway {
  url: string;
  services: Services;
  /** A server key of a new project on this plan. */
  keyOn: (plan: PlanId, quota?: CustomQuota, key?: Partial<CreateApiKey>) => Promise<IssuedKey>;
  /**
   * A request to the gateway; `key` becomes the Authorization header. An answer of the REST interface that is not as
   * schema/openapi.yaml says is an error.
   */
  request: (path: string, init?: RequestInit & { key?: string }) => Promise<Response>;
  /** Everything that was logged, as lines of JSON. */
  logLines: string[];
  /** @param graceMs how long requests under way may take, milliseconds; 1 second unless said */
  close: (graceMs?: number) => Promise<void>;
}

export interface TestGatewayOptions {
  /** Settings as in the environment. */
  env?: Record<string, string>;
  clock?: Clock;
  /** What is declared of each operation; the real table unless said. */
  operations?: Operations;
  /** The database of another test gateway: a second node beside it. */
  beside?: { databaseName: string };
}

export type StartedGateway = TestGateway & { databaseName: string };

/** A gateway for all tests of a file or a block. Its members exist from `beforeAll` on. */
export function useGateway(options?: TestGatewayOptions): StartedGateway {
  return useStarted(() => startGateway(options));
}

/** As useGateway, for what another function starts. */
export function useStarted<T extends { close: () => Promise<unknown> }>(start: () => Promise<T>): T {
  const started = {} as T;
  beforeAll(async () => {
    Object.assign(started, await start());
  });
  afterAll(() => started.close());
  return started;
}

/** The real app on a real socket and a real database of its own. */
export async function startGateway(options: TestGatewayOptions = {}): Promise<StartedGateway> {
  const { env = {}, clock = systemClock, beside, operations } = options;
  // The test runs in the same event loop: how late that is tells nothing about the gateway.
  const settings = parseConfig({ LOG_LEVEL: 'debug', MAX_EVENT_LOOP_DELAY_MS: '0', ...env });
  const config = withListedOperations(settings, createSchemaAlone);
  const wanted = wantedDatabase(config);
  if (beside !== undefined) shareDatabase(beside.databaseName);
  const databaseName = beside?.databaseName ?? takeDatabase(wanted);
  const connection = await connectMongo({
    uri: process.env['TEST_MONGODB_URI'] ?? '',
    defaultDatabase: databaseName,
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  if (beside === undefined) await emptyDatabase(connection, wanted);
  const logLines: string[] = [];
  const log = createLogger(
    { level: config.logLevel, pretty: false },
    { write: (line) => void logLines.push(line) },
  );
  await prepareDatabase(config, connection, log);
  // Date is the clock of the quota store as well, so that a test can move it.
  const created = await createServices(config, connection, log, clock, undefined, undefined, () =>
    Date.now(),
  );
  await created.jobs.startOwn();
  const services: Services = { ...created, ...(operations && { operations }) };
  const { publicUrl, http2 } = config;
  const server = createGatewayServer(unauthenticatedHeaders(services), undefined, publicUrl, http2);
  beginServing(server, services);
  const port = await server.listen(0, '127.0.0.1');
  if (config.httpPort !== undefined) await server.listen(config.httpPort, '127.0.0.1', 'http');
  if (config.httpsPort !== undefined) await server.listen(config.httpsPort, '127.0.0.1', 'https');
  const url = `http://127.0.0.1:${port}`;
  let isOpen = true;

  return {
    url,
    services,
    databaseName,
    logLines,
    async keyOn(plan, customQuota, key = {}) {
      const project = await services.projects.create({ name: `${plan} project`, plan, customQuota });
      return services.apiKeys.create({ name: 'test key', projectId: project.id, ...key });
    },
    async request(path, { key, headers, ...init } = {}) {
      const answer = await fetch(url + path, {
        ...init,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(headers as Record<string, string>),
        },
      });
      if (isDescribed(path)) await expectDocumented(init.method ?? 'GET', path, answer.clone());
      return answer;
    },
    async close(graceMs = 1000) {
      await server.drain(graceMs);
      await services.close();
      await connection.close();
      // Some tests close a gateway that is closed.
      if (isOpen) leaveDatabase(databaseName, wanted);
      isOpen = false;
    },
  };
}
