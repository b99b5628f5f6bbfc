import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshDatabase } from '../../support/database.js';
import { startGatewayProcess } from '../../support/gateway-process.js';
import { listingModules, loadedSdk } from '../../support/loaded-modules.js';
import {
  startOtlpReceiver,
  treeOf,
  type OtlpReceiver,
  type ReceivedSpan,
} from '../../support/otlp-receiver.js';
import { spanOf, startTracedGateway, type TracedGateway } from '../../support/traced-gateway.js';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const PET_NAME = 'Rumpelstilzchen';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-gateway-test-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a gateway with a collector', () => {
  const database = freshDatabase();
  let receiver: OtlpReceiver;
  let gateway: TracedGateway;
  let spans: ReceivedSpan[];
  let receivedBeforeStop: number;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    gateway = await startTracedGateway({
      MONGODB_URI: database.uri,
      LOG_LEVEL: 'info',
      // However slow this machine is, the key is looked up once.
      KEY_CACHE_TTL_SECONDS: '3600',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=zoo',
      OTEL_RESOURCE_ATTRIBUTES: 'team=pets',
      // No batch is due before the end: what is received is what the stop exports.
      OTEL_BSP_SCHEDULE_DELAY: '600000',
      ...listingModules(join(folder, 'on')),
    });
    const { get, post } = gateway;
    await get('/v1/pets?status=sold&limit=7', 'list', { traceparent: `00-${TRACE}-${PARENT}-01` });
    await post('/v1/pets', 'create', { name: PET_NAME, categoryId: 77_123_456 });
    await get('/v1/pets/4711', 'unknown');
    await get('/v1/pets', 'unauthenticated', {
      authorization: 'Bearer pets_live_of_nobody',
      cookie: 'a=biscuit',
      'user-agent': 'a-browser-of-somebody',
    });
    await post('/graphql', 'query', {
      query: `query ChosenByTheClient { pets(limit: 5) { name } quota { windows { used } } }`,
    });
    await post('/graphql', 'mutation', {
      query: 'mutation ($pet: NewPet!) { createPet(input: $pet) { id } }',
      variables: { pet: { name: PET_NAME, categoryId: '1' } },
    });
    await get('/health/ready', 'probe');
    receivedBeforeStop = receiver.spans().length;
    await gateway.stop();
    spans = receiver.spans();
  });
  afterAll(async () => {
    await receiver.close();
    await database.drop();
  });

  const treeOfRequest = (requestId: string) => treeOf(spans, spanOf(spans, requestId).traceId);

  test('what is left is exported when it is stopped', async () => {
    expect(receivedBeforeStop).toBe(0);
    expect(await gateway.ended()).toBe(0);
    expect(spans.length).toBeGreaterThan(0);
  });

  // A read and its charge begin in the same millisecond, the precision of a span: their order is that of their ends.
  test('the trace of a client goes on, down to MongoDB', () => {
    expect(spanOf(spans, 'list')).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 'server' });
    // A key that changed during its look-up, as new keys do, is looked up again.
    expect([...new Set(treeOf(spans, TRACE))].toSorted()).toEqual(
      [
        'GET /v1/pets',
        '  keys.findBySecretHash',
        '    aggregate apiKeys',
        '  pets.list',
        '    find pets',
        '  quota.charge',
        '    findAndModify quotas',
      ].toSorted(),
    );
  });

  test('without a traceparent each request begins a trace', () => {
    expect(treeOfRequest('unknown').toSorted()).toEqual(
      [
        'GET /v1/pets/{petId}',
        '  pets.get',
        '    find pets',
        '  quota.charge',
        '    findAndModify quotas',
      ].toSorted(),
    );
    expect(spanOf(spans, 'unknown').parentSpanId).toBe('');
    expect(treeOfRequest('create')).toContain('    insert pets');
  });

  test('operations of GraphQL have their types and root fields for a name', () => {
    expect(treeOfRequest('query')).toEqual([
      'POST /graphql',
      '  quota.foresee',
      '    find quotas',
      '  quota.charge',
      '    findAndModify quotas',
      '  query several',
      '    pets.list',
      '      find pets',
    ]);
    expect(treeOfRequest('mutation')).toContain('  mutation createPet');
  });

  test('a request says who asked for what, what it cost and how it ended', () => {
    expect(spanOf(spans, 'unknown').attributes).toEqual({
      'http.request.method': 'GET',
      'http.route': '/v1/pets/{petId}',
      'http.response.status_code': 404n,
      'url.path': '/v1/pets/4711',
      'url.scheme': 'http',
      'network.protocol.version': '1.1',
      'pets_gateway.request_id': 'unknown',
      'pets_gateway.interface': 'rest',
      'pets_gateway.operation': 'getPet',
      'pets_gateway.key_id': gateway.key.id,
      'pets_gateway.project_id': gateway.key.projectId,
      'pets_gateway.plan': 'free',
      'pets_gateway.cost': 1n,
      'pets_gateway.error_code': 'pet_not_found',
    });
    expect(spanOf(spans, 'unauthenticated').attributes).toMatchObject({
      'http.response.status_code': 401n,
      'pets_gateway.error_code': 'invalid_api_key',
    });
    expect(treeOfRequest('unauthenticated')).toEqual(['GET /v1/pets']);
  });

  test('a command says what was done where', () => {
    const command = spans.find(({ name }) => name === 'find pets');
    expect(command?.kind).toBe('client');
    expect(command?.attributes).toEqual({
      'db.system.name': 'mongodb',
      'db.namespace': database.dbName,
      'db.collection.name': 'pets',
      'db.operation.name': 'find',
      'server.address': '127.0.0.1',
      'server.port': expect.any(BigInt) as unknown,
    });
  });

  test('it says of itself what the environment says', () => {
    expect(spans[0]?.resource).toMatchObject({ 'service.name': 'pets-gateway', team: 'pets' });
    expect(receiver.headers()[0]).toMatchObject({ 'x-tenant': 'zoo' });
  });

  test('nothing secret is in what was exported, nor anything that was asked for or stored', () => {
    const bytes = receiver.bytes();
    const { key, adminKey } = gateway;
    const hash = createHash('sha256').update(key.secret);
    const secrets = [
      key.secret,
      adminKey,
      hash.copy().digest('hex'),
      hash.copy().digest('base64'),
      'pets_live_',
      'Bearer',
      'biscuit',
      'a-browser-of-somebody',
      'status=sold',
      'limit=7',
      PET_NAME,
      '77123456',
      'ChosenByTheClient',
      new URL(database.uri).password,
    ];
    expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
    expect(bytes.includes(hash.digest())).toBe(false);
    // Where messages of errors would be.
    expect(spans.filter(({ events, status }) => events > 0 || status.message !== '')).toEqual([]);
  });

  test('probes have no span', () => {
    expect(spans.filter(({ attributes }) => attributes['url.path'] === '/health/ready')).toEqual([]);
  });

  test('the log names the trace', () => {
    expect(gateway.output()).toContain(`"traceId":"${TRACE}","spanId":"${spanOf(spans, 'list').spanId}"`);
  });

  test('only here the SDK is loaded', () => {
    expect(loadedSdk(join(folder, 'on'))).toContain('sdk-trace');
  });
});

test('a gateway without a collector does not load the SDK', async () => {
  const database = freshDatabase();
  const file = join(folder, 'off');
  const gateway = await startGatewayProcess({ MONGODB_URI: database.uri, ...listingModules(file) });
  await (await fetch(`${gateway.url}/v1/pets`)).arrayBuffer();
  expect(await gateway.stop()).toBe(0);
  expect(loadedSdk(file)).toEqual([]);
  await database.drop();
});
