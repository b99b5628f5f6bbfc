import type { Connection } from 'mongoose';
import { freshDatabase } from '../../support/database.js';
import { chooseFreePort } from '../../support/free-port.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway-process.js';
import { rawDatabase } from '../../support/raw-database.js';
import { readinessOf } from '../../support/readiness.js';
import { startRedisServer } from '../../support/redis-server.js';
import { until } from '../../support/until.js';
import { createFailover } from './failover.js';
import { buildNextVersion, ROOT, type OtherVersion } from './next-version.js';
import { expectRecords, graphQL, makeKey, makeProject, writeRecords } from './records.js';
import { startTraffic } from './traffic.js';

/** A folder with the version before, built (`npm run test:upgrade -- --from <ref>`); without it, the next one is made. */
const FROM = process.env['UPGRADE_FROM'];
const ADMIN = 'an-admin-key-for-the-test-of-upgrades';
const PETS_BEFORE = 20_000;
const COUNTED_LIMIT = 6_000;
const TIMEOUT_MS = 480_000;

let next: OtherVersion | undefined;
let older: string;
let newer: string;
beforeAll(() => {
  if (FROM === undefined) next = buildNextVersion();
  [older, newer] = next === undefined ? [FROM ?? '', ROOT] : [ROOT, next.root];
});
afterAll(() => next?.remove());

describe.each(['MongoDB', 'Redis'])('an upgrade and a rollback under traffic, quotas in %s', (store) => {
  const database = freshDatabase();
  const toClose: (() => Promise<unknown>)[] = [() => database.drop()];
  const env: Record<string, string> = {
    MONGODB_URI: database.uri,
    ADMIN_API_KEY: ADMIN,
    PLATFORM_HOST: 'pets.test',
    PUBLIC_URL: 'http://127.0.0.1:3000',
    DNS_SERVERS: '127.0.0.1:1',
    STRIKES_PER_BAN: '2',
    STRIKE_LOOP_SECONDS: '1',
    BAN_SECONDS: '3600',
    LOG_LEVEL: 'info',
    LOG_REQUESTS: '0',
    // A change of a key must be heard; the end of the cache's time would hide that it is not.
    KEY_CACHE_TTL_SECONDS: '3600',
    // The machine of the test is slow for reasons that are not the gateway's.
    MAX_EVENT_LOOP_DELAY_MS: '0',
  };
  let raw: Connection;

  beforeAll(async () => {
    raw = await rawDatabase({ databaseName: database.dbName });
    toClose.unshift(() => raw.close());
    if (store === 'MongoDB') return;
    const redis = await startRedisServer();
    toClose.push(redis.close);
    env['REDIS_URL'] = redis.url;
  });
  afterAll(async () => {
    for (const close of toClose) await close();
  });

  async function start(root: string, port: number): Promise<GatewayProcess> {
    // On a busy machine it may give up on a database that answers late; a supervisor starts it again.
    const gateway = await until('a gateway to start', () =>
      startGatewayProcess({ ...env, PORT: String(port) }, root).catch((error: unknown) => {
        if (!/in time|Timed out/.test(String(error))) throw error;
        return undefined;
      }),
    );
    toClose.unshift(() => gateway.stop('SIGKILL'));
    return gateway;
  }

  async function fillWithPets(): Promise<void> {
    const pets = Array.from({ length: PETS_BEFORE }, (_, i) => ({
      _id: BigInt(i + 1),
      name: `pet ${i}`,
      categoryId: 1n,
      status: 'sold',
    }));
    await raw.collection<{ _id: bigint }>('pets').insertMany(pets);
    await raw
      .collection<{ _id: string }>('sequences')
      .insertOne({ _id: 'pets', last: BigInt(PETS_BEFORE) } as { _id: string });
  }

  test(
    'loses nothing that was acknowledged, fails no request, and limits are exact',
    async () => {
      await fillWithPets();
      const ports = [await chooseFreePort(), await chooseFreePort()] as const;
      const first = await start(older, ports[0]);
      const ofOlder = await writeRecords(first.url, ADMIN, 'written-by-the-older');
      const ample = await makeProject(first.url, ADMIN, 'ample', {
        perMinute: 1_000_000,
        perDay: 10_000_000,
      });
      const counted = await makeProject(first.url, ADMIN, 'counted', {
        perMinute: 1_000_000,
        perDay: COUNTED_LIMIT,
      });
      const keys = {
        ample: (await makeKey(first.url, ADMIN, ample)).secret,
        counted: (await makeKey(first.url, ADMIN, counted)).secret,
      };
      const urls = ports.map((port) => `http://127.0.0.1:${port}`);
      const [failover, counting] = [createFailover(urls), createFailover(urls)];
      const traffic = startTraffic(failover, counting, keys);
      toClose.unshift(() => traffic.end());
      await traffic.progress(20);

      // The newer version joins, and makes the database what it wants.
      const second = await start(newer, ports[1]);
      await traffic.progress(20);
      await expectRecords(second.url, ofOlder);
      const ofNewer = await writeRecords(second.url, ADMIN, 'written-by-the-newer');
      await expectRecords(first.url, ofNewer);
      const banned = await getBanned(first.url, second.url);
      await expectRevocationsHeard(first.url, second.url);

      // The older one leaves: the upgrade is done.
      expect(await first.stop()).toBe(0);
      await traffic.progress(20);

      // The way back: the older version joins the newer one, on a database that has been upgraded.
      const third = await start(older, ports[0]);
      await traffic.progress(20);
      const ofLater = await writeRecords(second.url, ADMIN, 'written-before-the-rollback');
      for (const records of [ofOlder, ofNewer, ofLater]) await expectRecords(third.url, records);
      await expectRevocationsHeard(third.url, second.url);
      expect(await second.stop()).toBe(0);
      await traffic.progress(20);
      for (const records of [ofOlder, ofNewer, ofLater]) await expectRecords(third.url, records);
      await expectBanned(third.url, banned);

      const created = await traffic.end();
      expect(traffic.failures).toEqual([]);
      await expectCreated(created);
      const rest = await spendRest(third.url, keys.counted);
      const admitted = traffic.spent() + rest.admitted;
      // A request that got 503, or no response, is counted or not.
      const unknown = counting.seen.unavailable + counting.seen.cut + rest.unknown;
      process.stderr.write(
        `${JSON.stringify({ store, admitted, unknown, ...traffic.answered, ...failover.seen })}\n`,
      );
      // In Redis, a version that leased units returns what it did not use, which this one takes for lost and adds again.
      const least = FROM === undefined ? COUNTED_LIMIT : 0.95 * COUNTED_LIMIT;
      expect(admitted + unknown).toBeGreaterThanOrEqual(least);
      expect(admitted).toBeLessThanOrEqual(COUNTED_LIMIT);
      if (next !== undefined) await expectMigrated(third.url);
      expect(await third.stop()).toBe(0);
    },
    TIMEOUT_MS,
  );

  /** Each name once, under the id that was acknowledged; no id twice. */
  async function expectCreated(created: ReadonlyMap<string, bigint>): Promise<void> {
    expect(created.size).toBeGreaterThan(100);
    const stored = await raw
      .collection<{ _id: bigint; name: string }>('pets')
      .find({ name: { $in: [...created.keys()] } })
      .toArray();
    expect(new Map(stored.map(({ _id, name }) => [name, _id]))).toEqual(created);
    expect(stored).toHaveLength(created.size);
  }

  /** A key whose strikes are gathered by both. @returns its secret */
  async function getBanned(...urls: [string, string]): Promise<string> {
    const projectId = await makeProject(urls[0], ADMIN, 'to be banned', { perMinute: 1, perDay: 1000 });
    const { secret } = await makeKey(urls[0], ADMIN, projectId);
    let turn = 0;
    await until('the ban', async () => (await codeOf(urls[++turn % 2] ?? '', secret)) === 'key_banned');
    await until(
      'the ban on the other one',
      async () => (await codeOf(urls[++turn % 2] ?? '', secret)) === 'key_banned',
    );
    return secret;
  }
  const expectBanned = async (url: string, secret: string) =>
    expect(await codeOf(url, secret)).toBe('key_banned');

  async function codeOf(url: string, secret: string): Promise<string | undefined> {
    const answer = await fetch(`${url}/v1/pets`, { headers: { authorization: `Bearer ${secret}` } });
    const body = (await answer.json()) as { code?: string };
    return body.code;
  }

  /** What one of two gateways revokes, the other one rejects, in both directions. */
  async function expectRevocationsHeard(...urls: [string, string]): Promise<void> {
    const projectId = await makeProject(urls[0], ADMIN, 'to be revoked', {
      perMinute: 10_000,
      perDay: 10_000,
    });
    for (const [here, there] of [urls, urls.toReversed() as [string, string]]) {
      await until('the other to hear of changes', async () => (await checksOf(there))['keyChanges'] === 'ok');
      const { id, secret } = await makeKey(here, ADMIN, projectId);
      expect(await codeOf(there, secret)).toBeUndefined();
      await graphQL(here, ADMIN, `mutation { revokeApiKey(input: { id: "${id}" }) { apiKey { state } } }`);
      await until(
        'the other to reject the key',
        async () => (await codeOf(there, secret)) === 'invalid_api_key',
      );
    }
  }

  async function checksOf(url: string): Promise<Record<string, string>> {
    return (await readinessOf(url, ADMIN)).checks;
  }

  /** Spends the quota until it is refused. @returns units; unknown: of requests that failed otherwise */
  async function spendRest(url: string, secret: string): Promise<{ admitted: number; unknown: number }> {
    const spent = { admitted: 0, unknown: 0 };
    const spend = async (units: number) => {
      const fields = Array.from({ length: units }, (_, i) => `f${i}: pets(limit: 1) { id }`);
      try {
        await graphQL(url, secret, `{ ${fields.join(' ')} }`);
        spent.admitted += units;
      } catch (error) {
        if (String(error).includes('rate_limit_exceeded')) return false;
        spent.unknown += units;
      }
      return spent.admitted + spent.unknown <= 3 * COUNTED_LIMIT;
    };
    while (await spend(50));
    while (await spend(1));
    return spent;
  }

  async function expectMigrated(url: string): Promise<void> {
    const checks = await checksOf(url);
    expect(checks['migrations']).toBe('ok: a newer version extended the database in a compatible way');
    expect(await raw.collection('pets').indexes()).toContainEqual(
      expect.objectContaining({ name: 'shelter_1__id_1' }),
    );
    const without = { _id: { $lte: BigInt(PETS_BEFORE) }, shelter: { $exists: false } };
    expect(await raw.collection<{ _id: bigint }>('pets').countDocuments(without)).toBe(0);
  }
});
