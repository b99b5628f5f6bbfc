import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chooseFreePort } from '../support/free-port.js';
import { makeCertificates, type Certificates } from '../support/certificates.js';
import { failGatewayProcess, startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { readinessOf } from '../support/readiness.js';
import { startRedisServer, type RedisServer } from '../support/redis-server.js';
import { startTlsMongod, type TlsMongod } from '../support/tls-mongod.js';
import { until } from '../support/until.js';

/** Stores as one would run them: TLS only, under a private authority, and with passwords. */
const USER = 'gateway';
const PASSWORD = 'sesame/open@once';
const WRONG = 'abracadabra/open@once';
const ADMIN_API_KEY = 'an-admin-key-for-the-test-of-tls';

// Each test starts a gateway process.
let folder: string;
let certificates: Certificates;
let mongod: TlsMongod;
let redis: RedisServer;
const running: GatewayProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-gateway-tls-'));
  certificates = await makeCertificates(folder);
  mongod = await startTlsMongod(folder, certificates, { user: USER, password: PASSWORD });
  redis = await startRedisServer({
    requirepass: PASSWORD,
    port: '0',
    'tls-port': String(await chooseFreePort()),
    'tls-cert-file': certificates.certificate,
    'tls-key-file': certificates.key,
    'tls-ca-cert-file': certificates.ca,
    'tls-auth-clients': 'no',
  });
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway.stop()));
});
afterAll(async () => {
  await redis.close();
  await mongod.close();
  await rm(folder, { recursive: true, force: true });
});

function mongodbUri({ password = PASSWORD, ca = certificates.ca } = {}): string {
  const tls = ca === '' ? '' : `&tls=true&tlsCAFile=${encodeURIComponent(ca)}`;
  const user = `${USER}:${encodeURIComponent(password)}`;
  return `mongodb://${user}@${mongod.host}/pets?authSource=admin&replicaSet=rs0${tls}`;
}
function redisUrl({ password = PASSWORD, tls = true } = {}): string {
  const url = new URL(redis.url);
  url.password = encodeURIComponent(password);
  return tls ? url.href : url.href.replace('rediss:', 'redis:');
}

async function start(env: Record<string, string>): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess({ ADMIN_API_KEY, ...env });
  running.push(gateway);
  return gateway;
}
const statusOfList = async ({ url }: GatewayProcess) => {
  const answer = await fetch(`${url}/v1/pets`, { headers: { authorization: `Bearer ${ADMIN_API_KEY}` } });
  return answer.status;
};
async function quotaStore({ url }: GatewayProcess): Promise<string | undefined> {
  return (await readinessOf(url, ADMIN_API_KEY)).checks['quotaStore'];
}
function expectNoPassword(output: string): void {
  expect(output).not.toMatch(/sesame|abracadabra/);
}

test('MongoDB and Redis with TLS and passwords', async () => {
  const gateway = await start({
    MONGODB_URI: mongodbUri(),
    REDIS_URL: redisUrl(),
    NODE_EXTRA_CA_CERTS: certificates.ca,
  });
  expect(await statusOfList(gateway)).toBe(200);
  expect(await quotaStore(gateway)).toBe('redis: ok');
  const warnings = gateway
    .output()
    .split('\n')
    .filter((line) => line.includes('"level":40'));
  // The versions of MongoDB and Node that the tests run on are not the subject.
  const others = warnings.filter((line) => !line.includes('end of life'));
  expect(others).toEqual([]);
});

describe('MongoDB stops the start, and says why without the password', () => {
  test.each<[string, () => string, RegExp]>([
    ['an authority that did not sign', () => mongodbUri({ ca: certificates.otherCa }), /certificate/],
    ['a wrong password', () => mongodbUri({ password: WRONG }), /Authentication failed/],
    ['no TLS', () => mongodbUri({ ca: '' }), /closed/],
  ])('%s', async (_, uri, reason) => {
    const { code, output } = await failGatewayProcess({ ADMIN_API_KEY, MONGODB_URI: uri() });
    expect(code).toBe(1);
    expect(output).toContain(`cannot connect to MongoDB at mongodb://${USER}:***@${mongod.host}/pets`);
    expect(output).toMatch(reason);
    expectNoPassword(output);
  });
});

describe('Redis leaves local limits in force, and says why without the password', () => {
  test.each<[string, () => { url: string; ca: string }, RegExp]>([
    ['an authority that did not sign', () => ({ url: redisUrl(), ca: certificates.otherCa }), /certificate/],
    ['no TLS', () => ({ url: redisUrl({ tls: false }), ca: certificates.ca }), /closed|ECONNRESET/],
  ])('%s', async (_, settings, reason) => {
    const { url, ca } = settings();
    const gateway = await start({ MONGODB_URI: mongodbUri(), REDIS_URL: url, NODE_EXTRA_CA_CERTS: ca });
    const line = await until('a line in the log', () =>
      Promise.resolve(
        gateway
          .output()
          .split('\n')
          .find((text) => text.includes('Redis is unreachable')),
      ),
    );
    expect(line).toMatch(reason);
    expect(await statusOfList(gateway)).toBe(200);
    expect(await quotaStore(gateway)).toBe('redis: no answer: local limits apply');
    expectNoPassword(gateway.output());
  });
});

test('a wrong password of Redis stops the start, and is not printed', async () => {
  const { code, output } = await failGatewayProcess({
    MONGODB_URI: mongodbUri(),
    REDIS_URL: redisUrl({ password: WRONG }),
    NODE_EXTRA_CA_CERTS: certificates.ca,
  });
  expect(output).toMatch(/REDIS_URL has the wrong credentials: WRONGPASS/);
  expect(code).toBe(2);
  expectNoPassword(output);
});
