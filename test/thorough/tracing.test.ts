import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { freshDatabase } from '../support/database.js';
import { chooseFreePort } from '../support/free-port.js';
import { startOtlpReceiver, treeOf, type OtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.js';
import { startRedisServer } from '../support/redis-server.js';
import { spanOf, startTracedGateway, type TracedGateway } from '../support/traced-gateway.js';
import { until } from '../support/until.js';
import { startWire } from '../support/wire.js';

const database = freshDatabase();
let receiver: OtlpReceiver;
beforeEach(async () => {
  receiver = await startOtlpReceiver();
});
afterEach(() => receiver.close());
afterAll(() => database.drop());

const start = (env: Record<string, string>): Promise<TracedGateway> =>
  startTracedGateway({ MONGODB_URI: database.uri, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, ...env });

test('shows counters in Redis as commands, without keys and values', async () => {
  const redis = await startRedisServer({ requirepass: 'a-password-of-redis' });
  const gateway = await start({ REDIS_URL: redis.url });
  await gateway.get('/v1/pets', 'first');
  expect(await gateway.stop()).toBe(0);
  await redis.close();

  const spans = receiver.spans();
  // A read and its charge begin in the same millisecond, the precision of a span: their order is that of their ends.
  expect(treeOf(spans, spanOf(spans, 'first').traceId).toSorted()).toEqual(
    [
      'GET /v1/pets',
      '  keys.findBySecretHash',
      '    aggregate apiKeys',
      '  pets.list',
      '    find pets',
      '  quota.charge',
      '    EVALSHA',
    ].toSorted(),
  );
  const command = spans.find(({ name }) => name === 'EVALSHA');
  expect(command?.kind).toBe('client');
  expect(command?.attributes).toEqual({
    'db.system.name': 'redis',
    'db.namespace': '0',
    'db.operation.name': 'EVALSHA',
    'server.address': '127.0.0.1',
    'server.port': BigInt(redis.port),
  });
  const bytes = receiver.bytes();
  expect(['a-password-of-redis', ':minute:', 'quota:{'].filter((text) => bytes.includes(text))).toEqual([]);
});

describe('requests that share a command, and wait for their turn', () => {
  let spans: ReceivedSpan[];
  let requestIds: string[];

  beforeAll(async () => {
    const collector = await startOtlpReceiver();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, MAX_REQUESTS_IN_FLIGHT_PER_KEY: '5' };
    const wire = await startWire(database.uri);
    const gateway = await startTracedGateway({ MONGODB_URI: wire.uri, ...env });
    // Commands are shared by requests that wait for one under way: of a fast MongoDB hardly any do.
    wire.delay(50);
    requestIds = Array.from({ length: 50 }, (_, i) => `request-${i}`);
    const statuses = await Promise.all(requestIds.map((id) => gateway.get('/v1/pets?limit=1', id)));
    expect([...new Set(statuses)]).toEqual([200]);
    wire.delay(0);
    await gateway.stop();
    wire.close();
    spans = collector.spans();
    await collector.close();
  });

  test('each has the steps of its own, once', () => {
    for (const requestId of requestIds) {
      const steps = treeOf(spans, spanOf(spans, requestId).traceId).filter((line) => /^ {0,2}\S/.test(line));
      expect(steps.filter((step) => step !== '  keys.findBySecretHash').toSorted()).toEqual([
        '  pets.list',
        '  quota.charge',
        'GET /v1/pets',
      ]);
    }
  });

  test.each([
    ['pets.list', 'find pets', 1],
    ['quota.charge', 'findAndModify quotas', 1],
  ])(
    'a command that is shared is in one of their traces, with links to the others and back: %s',
    (step, name, each) => {
      const commands = new Map(spans.filter((span) => span.name === name).map((span) => [span.spanId, span]));
      expect(commands.size).toBeLessThan(requestIds.length * each);
      const traceIds = new Set(requestIds.map((requestId) => spanOf(spans, requestId).traceId));
      const steps = spans.filter((span) => span.name === step && traceIds.has(span.traceId));
      expect(steps).toHaveLength(requestIds.length);
      for (const { spanId, traceId, links } of steps) {
        const own = [...commands.values()].filter(({ parentSpanId }) => parentSpanId === spanId);
        const linked = links.flatMap((link) => commands.get(link.spanId) ?? []);
        expect([...own, ...linked]).toHaveLength(each);
        for (const command of linked) expect(command.links).toContainEqual({ traceId, spanId });
      }
    },
  );
});

test('a client that does not sample its trace is not traced, but the log names its trace', async () => {
  const gateway = await start({ LOG_LEVEL: 'info' });
  const traceId = 'a'.repeat(32);
  await gateway.get('/v1/pets', 'unsampled', { traceparent: `00-${traceId}-${'b'.repeat(16)}-00` });
  await gateway.get('/v1/pets', 'malformed', { traceparent: `00-${traceId}-not-a-span` });
  expect(await gateway.stop()).toBe(0);
  const spans = receiver.spans();
  expect(spans.filter((span) => span.traceId === traceId)).toEqual([]);
  expect(spanOf(spans, 'malformed').parentSpanId).toBe('');
  expect(gateway.output()).toContain(`"traceId":"${traceId}"`);
});

test('each worker exports its own', async () => {
  const gateway = await start({ WORKERS: '2' });
  for (let i = 0; i < 10; i++) await gateway.get('/v1/pets', `request-${i}`, { connection: 'close' });
  expect(await gateway.stop()).toBe(0);
  const requests = receiver.spans().filter(({ kind }) => kind === 'server');
  expect(requests.filter(({ name }) => name === 'GET /v1/pets')).toHaveLength(10);
  expect(new Set(requests.map(({ resource }) => resource['process.pid'])).size).toBe(2);
});

test('logs an unreachable collector once, and once more when it is back', async () => {
  const port = await chooseFreePort();
  const gateway = await start({
    LOG_LEVEL: 'info',
    LOG_REQUESTS: '0',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_EXPORTER_OTLP_TIMEOUT: '100',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const linesWith = (text: string) =>
    gateway
      .output()
      .split('\n')
      .filter((line) => line.includes(text));
  // Each is exported by itself, in vain.
  for (let i = 0; i < 5; i++) {
    expect(await gateway.get('/v1/pets', `lost-${i}`)).toBe(200);
    await until('a line about lost traces', () =>
      Promise.resolve(linesWith('Could not export traces').length > 0),
    );
  }
  const late = await startOtlpReceiver(port);
  await until('an export', async () => {
    await gateway.get('/docs', 'arriving');
    return late.spans().length > 0;
  });
  await until('a line about it', () => Promise.resolve(linesWith('Exporting traces works again').length > 0));
  expect(await gateway.stop()).toBe(0);
  await late.close();
  expect(linesWith('Could not export traces')).toHaveLength(1);
  expect(linesWith('Could not export traces')[0]).toContain('ECONNREFUSED');
  expect(linesWith('Exporting traces works again')).toHaveLength(1);
});

test('a collector that never answers does not block a stop', async () => {
  const deaf = createServer().listen(0, '127.0.0.1');
  await once(deaf, 'listening');
  const { port } = deaf.address() as AddressInfo;
  const gateway = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  expect(await gateway.get('/v1/pets', 'unheard')).toBe(200);
  expect(await gateway.stop()).toBe(0);
  deaf.close();
});
