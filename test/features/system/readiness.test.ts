import type { Connection } from 'mongoose';
import { QUOTAS_COLLECTION } from '../../../src/features/limiter/mongo-quota-store.js';
import { rawDatabase } from '../../support/raw-database.js';
import { startGateway } from '../../support/gateway.js';
import { startRedisServer } from '../../support/redis-server.js';

type Gateway = Awaited<ReturnType<typeof startGateway>>;

/** As docs/reliability.md says. */
const REUSED_MS = 500;
/** The collections that the checks read or write. */
const OF_READINESS = ['setup', QUOTAS_COLLECTION];
const ADMIN = 'the-admin-key-of-this-test-file';

const ready = (gateway: Gateway, key?: string) =>
  gateway.request('/health/ready', key === undefined ? {} : { key });
const times = <T>(count: number, what: () => Promise<T>) => Promise.all(Array.from({ length: count }, what));

/** While `work` runs, nobody but an open transaction can write the document of the quota store's probe. */
async function whileProbesWait(raw: Connection, work: () => Promise<void>): Promise<void> {
  const session = raw.getClient().startSession();
  try {
    session.startTransaction();
    await raw
      .getClient()
      .db(raw.name)
      .collection<{ _id: string }>(QUOTAS_COLLECTION)
      .updateOne({ _id: 'probe' }, { $set: { held: true } }, { upsert: true, session });
    await work();
  } finally {
    await session.abortTransaction();
    await session.endSession();
  }
}

describe('a public readiness request', () => {
  let gateway: Gateway;
  let raw: Connection;
  beforeEach(async () => {
    gateway = await startGateway({ env: { ADMIN_API_KEY: ADMIN, ANONYMOUS_REQUESTS_PER_MINUTE: '20' } });
    raw = await rawDatabase(gateway);
  });
  afterEach(async () => {
    await raw.close();
    await gateway.close();
  });

  test('says whether the gateway is ready, and no more; an admin key shows the checks', async () => {
    const { secret: owner } = await gateway.keyOn('free', undefined, { role: 'owner' });
    for (const key of [undefined, owner, 'pets_live_unknown']) {
      const answer = await ready(gateway, key);
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(await answer.json()).toEqual({ status: 'ready' });
    }
    const { secret } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' });
    for (const key of [ADMIN, secret])
      expect(await (await ready(gateway, key)).json()).toMatchObject({
        status: 'ready',
        checks: { mongodb: 'ok', migrations: 'ok', clock: 'ok', quotaStore: 'mongodb: ok', load: 'ok' },
      });
  });

  test('starts no outage, though the probe of the quota store waits; two gateways admit no more than the limit', async () => {
    const beside = await startGateway({ beside: gateway });
    try {
      const { secret } = await gateway.keyOn('free');
      await whileProbesWait(raw, async () => {
        const both = [gateway, beside];
        const probes = await Promise.all(both.map((one) => times(200, () => ready(one))));
        expect(new Set(probes.flat().map(({ status }) => status))).toEqual(new Set([200]));
        const charges = await Promise.all(
          both.map((one) => times(100, () => one.request('/v1/pets', { key: secret }))),
        );
        expect(charges.flat().filter(({ status }) => status === 200)).toHaveLength(60);
        expect(both.map(({ services }) => services.quotaOutages().outages)).toEqual([0, 0]);
      });
    } finally {
      await beside.close();
    }
  });

  test('with the key of an admin says that the quota store does not answer, and starts no outage either', async () => {
    await whileProbesWait(raw, async () => {
      const answer = await ready(gateway, ADMIN);
      expect(answer.status).toBe(200);
      expect(await answer.json()).toMatchObject({ checks: { quotaStore: 'mongodb: no answer' } });
    });
    expect(gateway.services.quotaOutages()).toMatchObject({ down: false, outages: 0 });
  });

  test('reads the database once in 500 ms for all, and writes nothing', async () => {
    const database = raw.getClient().db(gateway.databaseName);
    const { secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 1000, requestsPerDay: 1000 });
    await gateway.request('/v1/pets', { key: secret });
    await database.command({
      profile: 1,
      slowms: 0,
      filter: { ns: { $in: OF_READINESS.map((name) => `${gateway.databaseName}.${name}`) } },
    });
    const begunMs = performance.now();
    for (let wave = 0; wave < 20; wave++)
      expect(new Set((await times(50, () => ready(gateway))).map(({ status }) => status))).toEqual(
        new Set([200]),
      );
    const looks = 1 + Math.ceil((performance.now() - begunMs) / REUSED_MS);
    await database.command({ profile: 0 });
    const seen = await database.collection('system.profile').find().toArray();
    expect(new Set(seen.map(({ op }) => op as string))).toEqual(new Set(['query']));
    expect(seen.length).toBeLessThanOrEqual(looks);
  });

  test('is never 429: beyond its limit, a client gets an answer that is a few seconds old at most', async () => {
    for (let i = 0; i < 25; i++) await gateway.request('/v1/pets');
    expect((await gateway.request('/v1/pets')).status).toBe(429);
    const answers = await times(100, () => ready(gateway));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    // Beyond it, no key is compared.
    expect(await (await ready(gateway, ADMIN)).json()).toEqual({ status: 'ready' });
  });
});

test('public readiness requests start no outage of a Redis that is silent; a charge does', async () => {
  const redis = await startRedisServer();
  const gateway = await startGateway({ env: { REDIS_URL: redis.url } });
  try {
    const { secret } = await gateway.keyOn('free');
    redis.pause();
    const answers = await times(200, () => ready(gateway));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await gateway.services.readiness()).checks['quotaStore']).toBe('redis: no answer');
    expect(gateway.services.quotaOutages()).toMatchObject({ down: false, outages: 0 });
    expect((await gateway.request('/v1/pets', { key: secret })).status).toBe(200);
    expect(gateway.services.quotaOutages()).toMatchObject({ down: true, outages: 1 });
    expect((await gateway.services.readiness()).checks['quotaStore']).toBe(
      'redis: no answer: local limits apply',
    );
  } finally {
    redis.resume();
    await gateway.close();
    await redis.close();
  }
});
