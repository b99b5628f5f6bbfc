import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { connectMongo } from '../../src/platform/mongo/connection.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { readinessOf } from '../support/readiness.js';
import { AMPLE } from '../support/rest-client.js';
import { until } from '../support/until.js';
import { command, issueKey } from './issue-key.js';
import { openLedger } from './ledger.js';
import { startReplicaSet, type ReplicaSet, type ReplicaSetMember } from './replica-set.js';

/** 10 s as docs/reliability.md promises, and what a busy machine adds. */
const LONGEST_ANSWER_MS = 12_000;
/** MongoDB's election of some 12 s, and what a busy machine adds. */
const RECOVERY_MS = 60_000;
const GATEWAYS = 4;
const ADMIN_SECRET = 'the-admin-secret-of-this-test';

let replicaSet: ReplicaSet;
let gateway: GatewayProcess;
let database: Connection;

beforeAll(async () => {
  replicaSet = await startReplicaSet({ members: 3 });
  gateway = await startGatewayProcess({
    MONGODB_URI: replicaSet.uri,
    ADMIN_API_KEY: ADMIN_SECRET,
    QUOTA_NODES: String(GATEWAYS),
    STRIKES_PER_BAN: '1000',
  });
  database = await connectMongo({
    uri: replicaSet.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: RECOVERY_MS,
  });
});
afterAll(async () => {
  const code = await gateway.stop();
  await database.close();
  await replicaSet.close();
  expect(code).toBe(0);
});

const ask = (path: string, secret: string) =>
  fetch(gateway.url + path, { headers: { authorization: `Bearer ${secret}` } });
const statusOf = async (path: string, secret: string) => (await ask(path, secret)).status;
const create = (secret: string) =>
  fetch(`${gateway.url}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Rex', categoryId: 1 }),
  });
const isCounting = async ({ url }: GatewayProcess) =>
  (await readinessOf(url, ADMIN_SECRET)).checks['quotaStore'] === 'mongodb: ok';
const isReady = async () => (await fetch(`${gateway.url}/health/ready`)).ok;
const untilReady = () => until('readiness', isReady);

/** A change by an admin is a transaction: the driver decides when it may start again, and the gateway how long it may take. */
async function createProject(): Promise<{ status: number; retryAfter: string | null; tookMs: number }> {
  const startedMs = performance.now();
  const { status, headers } = await fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ADMIN_SECRET}`,
      'content-type': 'application/json',
      accept: 'application/graphql-response+json',
    },
    body: JSON.stringify({
      query: 'mutation { createProject(input: { name: "Shop", plan: free }) { project { id } } }',
    }),
  });
  return { status, retryAfter: headers.get('retry-after'), tookMs: performance.now() - startedMs };
}

/** Back among the members, as the one who was asked to be primary may be. */
async function restart(member: ReplicaSetMember): Promise<void> {
  await member.start();
  await until('the member to be back', async () => {
    const hello = await replicaSet.command(member, { hello: 1 }).catch(() => ({}));
    return 'secondary' in hello && (hello['secondary'] === true || hello['isWritablePrimary'] === true);
  });
}

test('the primary is killed under load and comes back later', async () => {
  const { secret } = await issueKey(replicaSet, AMPLE);
  const revoked = await issueKey(replicaSet, AMPLE);
  const rotated = await issueKey(replicaSet, AMPLE);
  const ledger = openLedger({ url: gateway.url, secret });
  await until('load', () => Promise.resolve(ledger.acknowledged() > 50));
  expect(await statusOf('/v1/pets', revoked.secret)).toBe(200);
  expect(await statusOf('/v1/pets', rotated.secret)).toBe(200);

  await command(replicaSet, 'keys', 'revoke', revoked.id, '--yes');
  const renewed = await command<{ secret: string }>(
    replicaSet,
    ...['keys', 'rotate', rotated.id, '--overlap', '0'],
  );
  const primary = await replicaSet.primary();
  const killedAtMs = performance.now();
  await primary.kill();
  await until('readiness to drop', async () => !(await isReady()));
  const change = await createProject();
  expect({ ...change, tookMs: 0 }).toEqual({ status: 503, retryAfter: '2', tookMs: 0 });
  expect(change.tookMs).toBeLessThan(LONGEST_ANSWER_MS + ledger.machineMs());
  await untilReady();
  const before = ledger.acknowledged();
  await until('load to go on', () => Promise.resolve(ledger.acknowledged() > before + 50));
  process.stderr.write(`readiness and load back after ${Math.round(performance.now() - killedAtMs)} ms\n`);

  for (const [expected, key] of [
    [401, revoked.secret],
    [401, rotated.secret],
    [200, renewed.secret],
  ] as const)
    expect(await statusOf('/v1/pets', key)).toBe(expected);

  await restart(primary);
  await ledger.settle();
  await ledger.expectKept('primary killed', database, LONGEST_ANSWER_MS);
});

test('the primary steps down under load', async () => {
  const { secret } = await issueKey(replicaSet, AMPLE);
  const ledger = openLedger({ url: gateway.url, secret });
  await until('load', () => Promise.resolve(ledger.acknowledged() > 50));

  const primary = await replicaSet.primary();
  await replicaSet.command(primary, { replSetStepDown: 60 });
  expect((await replicaSet.primary()).host).not.toBe(primary.host);
  await untilReady();
  const before = ledger.acknowledged();
  await until('load to go on', () => Promise.resolve(ledger.acknowledged() > before + 50));

  await ledger.settle();
  await ledger.expectKept('primary stepped down', database, LONGEST_ANSWER_MS);
});

test.each([
  ['NotWritablePrimary', 10107],
  ['InterruptedDueToReplStateChange', 11602],
  ['OutOfDiskSpace', 14031],
])('a primary that answers %s whenever it is asked: 503, and 2xx afterwards', async (_name, errorCode) => {
  const { secret } = await issueKey(replicaSet, AMPLE);
  expect(await statusOf('/v1/pets', secret)).toBe(200);
  const primary = await replicaSet.primary();
  const fail = { configureFailPoint: 'failCommand', data: { failCommands: ['find', 'insert'], errorCode } };
  await replicaSet.command(primary, { ...fail, mode: 'alwaysOn' });
  try {
    const answers = [await ask('/v1/pets', secret), await create(secret)];
    expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual([
      [503, '2'],
      [503, '2'],
    ]);
  } finally {
    await replicaSet.command(primary, { ...fail, mode: 'off' });
  }
  expect([await statusOf('/v1/pets', secret), (await create(secret)).status]).toEqual([200, 201]);
});

/** Whether these members fetch what the primary writes. */
async function replicate(on: boolean, members: readonly ReplicaSetMember[]): Promise<void> {
  const stop = { configureFailPoint: 'stopReplProducer', mode: on ? 'off' : 'alwaysOn' };
  await Promise.all(members.map((member) => replicaSet.command(member, stop)));
}

test('counts that no other member had when the primary died: the limit is admitted, and no more', async () => {
  const limit = 600;
  // The same for the day, so that a slow run does not come into the next window.
  const { secret } = await issueKey(replicaSet, { requestsPerMinute: limit, requestsPerDay: limit });
  let served = 0;
  async function ofThem(count: number): Promise<Response[]> {
    const answers = await Promise.all(Array.from({ length: count }, () => ask('/v1/pets', secret)));
    served += answers.filter(({ status }) => status === 200).length;
    return answers;
  }
  await ofThem(200);

  const primary = await replicaSet.primary();
  const others = replicaSet.members.filter((member) => member !== primary);
  await replicate(false, others);
  // No majority confirms their counts.
  await ofThem(100);
  await primary.kill();
  await replicate(true, others);

  // Some meet the local limit, some a database that is gone; afterwards the whole rest is asked for.
  await ofThem(100);
  await replicaSet.primary();
  await until('the quota store', () => isCounting(gateway));
  await ofThem(limit);
  const last = (await ofThem(1))[0];
  expect(last?.status).toBe(429);
  process.stderr.write(`${served} of ${limit} admitted\n`);
  expect(served).toBeLessThanOrEqual(limit);
  await restart(primary);
});

test('two gateways spend a key while the primary dies: the limit between them, and no more', async () => {
  const limit = 600;
  const { secret } = await issueKey(replicaSet, { requestsPerMinute: limit, requestsPerDay: limit });
  const env = {
    ADMIN_API_KEY: ADMIN_SECRET,
    MONGODB_URI: replicaSet.uri,
    QUOTA_NODES: '2',
    STRIKES_PER_BAN: '1000',
  };
  const gateways = [await startGatewayProcess(env), await startGatewayProcess(env)];
  try {
    let spending = true;
    /** What each client was answered. */
    const statuses: number[] = [];
    const clients = gateways.flatMap(({ url }) =>
      Array.from({ length: 4 }, async () => {
        while (spending) {
          const { status } = await fetch(`${url}/v1/pets?limit=1`, {
            headers: { authorization: `Bearer ${secret}` },
          });
          statuses.push(status);
          await sleep(20);
        }
      }),
    );
    const served = () => statuses.filter((status) => status === 200).length;
    await until('some of the limit to be spent', () => Promise.resolve(served() > limit / 3));
    const primary = await replicaSet.primary();
    await primary.kill();
    await until('the store to be back at both, and the rest to be spent', async () => {
      const since = statuses.length;
      const ready = await Promise.all(gateways.map(isCounting));
      await sleep(500);
      const latest = statuses.slice(since);
      return ready.every(Boolean) && latest.length > 0 && latest.every((s) => s === 429);
    });
    spending = false;
    await Promise.all(clients);
    process.stderr.write(`two gateways, primary killed: ${served()} of ${limit} admitted\n`);
    expect(served()).toBeLessThanOrEqual(limit);
    await restart(primary);
  } finally {
    expect(await Promise.all(gateways.map((one) => one.stop()))).toEqual([0, 0]);
  }
});
