import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { createAuthority } from '../../support/authority.js';
import { rawDatabase } from '../../support/raw-database.js';
import {
  certify,
  createBrowser,
  HANDSHAKE_FAILURE,
  holdDomain,
  refusalOf,
  startVisited,
  visitSecurely,
  type VisitedGateway,
} from './domains.js';
import { createStore, PLATFORM_HOST, publish, visit, type Visited } from './visitor.js';

const LIMIT = 20;
/** Finding out that nobody has or had a host takes two commands at most. */
const COMMANDS_EACH = 2;
/** The collections that say who has a host, or had it. */
const OF_HOSTS = ['domains', 'domainHoldings', 'projects', 'slugs'];
const [SCANNER, OTHER] = ['203.0.113.7', '198.51.100.1'];

const inventHost = () =>
  `${randomBytes(6).toString('hex')}.${Math.random() < 0.5 ? PLATFORM_HOST : 'example'}`;

let raw: Connection;
let gateway: VisitedGateway;

/** The clock stands still, so that the client's minute does not end during a test. */
async function start(env: Record<string, string> = {}): Promise<void> {
  const startedAt = Date.now();
  gateway = await startVisited({
    env: { ANONYMOUS_REQUESTS_PER_MINUTE: String(LIMIT), KEY_CACHE_TTL_SECONDS: '3600', ...env },
    clock: () => startedAt,
  });
  raw = await rawDatabase(gateway);
}

afterEach(async () => {
  await raw.close();
  await gateway.close();
});

/** Counts the commands about hosts that reach MongoDB while `work` runs. */
async function commandsDuring(work: () => Promise<void>): Promise<number> {
  const database = raw.getClient().db(gateway.databaseName);
  const namespaces = OF_HOSTS.map((name) => `${gateway.databaseName}.${name}`);
  await database.command({ profile: 1, slowms: 0, filter: { ns: { $in: namespaces } } });
  await work();
  await database.command({ profile: 0 });
  return database.collection('system.profile').countDocuments();
}

async function site(name: string): Promise<string> {
  const { project, host } = await createStore(gateway);
  await publish(gateway, project.id, { 'index.html': `the shop of ${name}` });
  return host;
}

const ask = (client: string, host: string) =>
  visit(gateway, host, '/', { headers: { 'x-forwarded-for': client } });

/** One client asks for many hosts, eight at a time, so that the limit of requests in flight plays no part. */
async function scan(count: number): Promise<Visited[]> {
  const answers: Visited[] = [];
  const worker = async () => {
    while (answers.length < count) answers.push(await ask(SCANNER, inventHost()));
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return answers;
}

test('a client that invents hosts gets its anonymous limit of look-ups, then 429; others and sites in memory notice nothing', async () => {
  await start();
  const [warm, cold] = [await site('one'), await site('two')];
  let answers: Visited[] = [];
  const commands = await commandsDuring(async () => void (answers = await scan(2000)));
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([421, 429]));
  expect(statuses.filter((status) => status === 421)).toHaveLength(LIMIT);
  expect(commands).toBeGreaterThan(0);
  expect(commands).toBeLessThanOrEqual(COMMANDS_EACH * LIMIT);

  const refused = answers.find(({ status }) => status === 429);
  expect(refused?.headers).toMatchObject({
    'retry-after': '60',
    'x-ratelimit-limit': String(LIMIT),
    'x-ratelimit-remaining': '0',
    'cache-control': 'no-store',
  });
  expect(JSON.parse(refused?.text ?? '')).toMatchObject({
    code: 'rate_limit_exceeded',
    status: 429,
    details: { window: 'anonymous', limit: LIMIT, remaining: 0 },
  });

  // From memory, a client beyond its limit still gets the site, and the 421 of a host that was looked up.
  const known = inventHost();
  for (const client of [OTHER, SCANNER]) {
    expect((await ask(client, warm)).text).toBe('the shop of one');
    expect((await ask(client, known)).status).toBe(421);
  }
  // 421 would be false for a site that was not looked up.
  expect((await ask(SCANNER, cold)).status).toBe(429);
  expect((await ask(OTHER, cold)).text).toBe('the shop of two');
  expect((await ask(SCANNER, cold)).text).toBe('the shop of two');
  expect((await ask(OTHER, inventHost())).status).toBe(421);
});

test('a site costs its visitor nothing, in memory or not', async () => {
  await start({ ANONYMOUS_REQUESTS_PER_MINUTE: '1' });
  const hosts = [await site('one'), await site('two'), await site('three')];
  for (const host of [...hosts, ...hosts]) expect((await ask(SCANNER, host)).status).toBe(200);
  expect((await ask(SCANNER, inventHost())).status).toBe(421);
  expect((await ask(SCANNER, inventHost())).status).toBe(429);
});

describe('in a TLS handshake', () => {
  /** Tries handshakes, eight at a time. */
  async function shakeHands(count: number): Promise<void> {
    const authority = await createAuthority();
    let left = count;
    const worker = async () => {
      while (left-- > 0) {
        const browser = createBrowser(authority, { keepAlive: false });
        expect(await refusalOf(visitSecurely(browser, gateway, inventHost()))).toMatch(HANDSHAKE_FAILURE);
      }
    };
    await Promise.all(Array.from({ length: 8 }, worker));
  }

  test('invented names count against the limit of the client too; a domain in memory is served', async () => {
    await start({ TRUST_PROXY: '' });
    const authority = await createAuthority();
    const { project } = await createStore(gateway);
    await publish(gateway, project.id, { 'index.html': 'the shop' });
    await certify(gateway, authority, await holdDomain(gateway, project.id, 'www.one.example'));
    const open = () =>
      visitSecurely(createBrowser(authority, { keepAlive: false }), gateway, 'www.one.example');
    expect((await open()).text).toBe('the shop');

    const commands = await commandsDuring(() => shakeHands(200));
    expect(commands).toBeGreaterThan(0);
    expect(commands).toBeLessThanOrEqual(COMMANDS_EACH * LIMIT);
    expect((await open()).text).toBe('the shop');
    expect((await visit(gateway, inventHost(), '/')).status).toBe(429);
    expect(gateway.logLines.join('')).not.toContain('Rejected a connection');
  });

  test('the address of a trusted proxy is no client', async () => {
    await start();
    await shakeHands(LIMIT + 1);
    expect((await visit(gateway, inventHost(), '/')).status).toBe(421);
  });
});
