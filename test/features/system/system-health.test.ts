import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import {
  NEW_DNS,
  NO_CERTIFICATE,
  statusOf,
  type Domain,
  type NewDomain,
  type StoredCertificate,
} from '../../../src/features/publishing/domains/domain.js';
import { problemOf } from '../../../src/features/publishing/domains/problem.js';
import { DAY_MS, MINUTE_MS } from '../../../src/lib/clock.js';
import type { Project } from '../../../src/features/projects/project.js';
import { startDomainsGateway } from '../publishing/domains/graphql-client.js';
import { askGraphQL, codesOf, dataOf } from '../../interfaces/graphql/client.js';
import { valueOf } from '../../observability/metrics/exposition.js';
import { startRedisServer } from '../../support/redis-server.js';
import { until } from '../../support/until.js';
import { startGateway, useStarted } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { readinessOf } from '../../support/readiness.js';
import { AMPLE } from '../../support/rest-client.js';

interface SystemHealth {
  ready: boolean;
  version: string;
  startedAt: string;
  checks: { name: string; ok: boolean; detail: string | null }[];
  domains: { status: string; count: number }[];
  domainsDue: number;
  oldestDueAt: string | null;
  certificatesExpiring: { name: string; expiresAt: string; problem: { code: string } | null }[];
  quotaOutage: boolean;
  projects: number;
  apiKeys: number;
}

const HEALTH = `{ systemHealth { ready version startedAt checks { name ok detail } domains { status count } domainsDue
  oldestDueAt certificatesExpiring { name expiresAt problem { code } } quotaOutage projects apiKeys } }`;

const gateway = useStarted(startDomainsGateway);
let admin: string;
let raw: Connection;
beforeAll(async () => {
  raw = await rawDatabase(gateway);
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' }));
});
afterAll(() => raw.close());

const healthOf = async (from = gateway, key = admin) =>
  (await dataOf(askGraphQL<{ systemHealth: SystemHealth }>(from, key, HEALTH))).systemHealth;

const NOW = Date.now();
const at = (fromNowMs: number) => new Date(NOW + fromNowMs);
let domains = 0;

function newDomain(fields: Partial<NewDomain>): Domain {
  const name = `shop-${++domains}.customer.example`;
  const fixed = { unicode: name, registrable: 'customer.example', isApex: false, label: 'shop' };
  const domain: NewDomain = {
    id: `dom_${domains}`,
    projectId: 'proj_none',
    isPlatform: false,
    name,
    ...fixed,
    createdAt: at(0),
    ownershipToken: 'token',
    ownershipRequired: false,
    holds: false,
    dns: NEW_DNS,
    certificate: NO_CERTIFICATE,
    ...fields,
  };
  return { ...domain, ...statusOf(domain, NOW) };
}

function certificateUntil(notAfter: Date): Domain['certificate'] {
  // What the key and the chain are, nobody asks here.
  const current = { id: 'crt_a', pem: 'pem', notAfter } as unknown as StoredCertificate;
  return { ...NO_CERTIFICATE, state: 'active', current };
}

async function insert(all: readonly Domain[]): Promise<void> {
  const { customerDomains } = gateway.services;
  if (customerDomains === undefined) throw new Error('it has PLATFORM_HOST');
  await customerDomains.store.insertMissing(all);
}

test('reports the state of the gateway, to admins only', async () => {
  const { services } = gateway;
  const { secret: owner } = await gateway.keyOn('free', undefined, { role: 'owner' });
  expect(await codesOf(askGraphQL(gateway, owner, HEALTH))).toEqual(['forbidden']);
  const packageJson = readFileSync(join(__dirname, '../../../package.json'), 'utf8');
  const health = await healthOf();
  expect(health).toMatchObject({
    ready: true,
    version: (JSON.parse(packageJson) as { version: string }).version,
    quotaOutage: false,
    projects: (await services.projects.list()).length,
    apiKeys: (await services.apiKeys.list()).length,
  });
  expect(health.checks).toContainEqual({ name: 'mongodb', ok: true, detail: null });
  expect(health.checks).toContainEqual({ name: 'quotaStore', ok: true, detail: 'mongodb: ok' });
  expect(Math.abs(Date.parse(health.startedAt) - NOW)).toBeLessThan(10 * MINUTE_MS);
});

test('counts domains by the status that they show', async () => {
  const { projects, customerDomains } = gateway.services;
  await raw.collection('domains').deleteMany({});
  const paying = await projects.create({ name: 'paying', plan: 'enterprise', customQuota: AMPLE });
  const free = async (endedAt: Date | undefined) => {
    const { id } = await projects.create({ name: 'free', plan: 'free' });
    if (endedAt !== undefined)
      await raw
        .collection<{ _id: string }>('projects')
        .updateOne({ _id: id }, { $set: { domainsLapsedAt: endedAt } });
    return projects.get(id);
  };
  const owners: Project[] = [
    paying,
    await free(undefined),
    await free(at(-1 * DAY_MS)),
    await free(at(-30 * DAY_MS)),
  ];

  const shown = new Map<string, number>();
  const all: Domain[] = [];
  for (const project of owners)
    for (const holds of [true, false])
      for (const state of ['pending', 'verifying', 'verified', 'failed'] as const)
        for (const verifiedAt of [undefined, at(-MINUTE_MS), at(-DAY_MS)])
          for (const end of [undefined, at(-MINUTE_MS), at(DAY_MS)])
            for (const code of [undefined, 'no_record'] as const) {
              const domain = newDomain({
                projectId: project.id,
                holds,
                dns: { ...NEW_DNS, state, ...(verifiedAt && { verifiedAt }) },
                certificate: end === undefined ? NO_CERTIFICATE : certificateUntil(end),
                ...(code && {
                  problem: problemOf({ code, name: 'a', record: 'CNAME', expected: 'b' }, at(0)),
                }),
              });
              all.push(domain);
              const status = customerDomains?.service.stateOf(domain, project).status ?? '';
              shown.set(status, (shown.get(status) ?? 0) + 1);
            }
  await insert([...all, newDomain({ projectId: paying.id, isPlatform: true })]);

  const stuck = all.filter(({ projectId, ...domain }) => {
    const project = owners.find(({ id }) => id === projectId);
    return (
      customerDomains?.service.stateOf({ projectId, ...domain }, project ?? paying).status ===
      'action_required'
    );
  });
  const listed = (await gateway.services.system.domainsNeedingAction(1000)).map(({ name }) => name);
  expect(new Set(listed)).toEqual(new Set(stuck.map(({ name }) => name)));
  expect(listed).toHaveLength(stuck.length);

  const counted = (await healthOf()).domains;
  expect(new Map(counted.map(({ status, count }) => [status, count]))).toEqual(shown);
  expect(shown.size).toBe(6);
});

test('lists the domains that need action, with their projects and problems', async () => {
  await raw.collection('domains').deleteMany({});
  const project = await gateway.services.projects.create({ name: 'Stuck', plan: 'pro' });
  const problem = problemOf({ code: 'no_record', name: 'a', record: 'CNAME', expected: 'b' }, at(0));
  const stuck = newDomain({ projectId: project.id, dns: { ...NEW_DNS, state: 'failed' }, problem });
  await insert([stuck, newDomain({ projectId: project.id })]);
  const query =
    '{ systemHealth { domainsNeedingAction { domainId name problem { code } project { name } } } }';
  expect(await dataOf(askGraphQL(gateway, admin, query))).toEqual({
    systemHealth: {
      domainsNeedingAction: [
        { domainId: stuck.id, name: stuck.name, problem: { code: 'no_record' }, project: { name: 'Stuck' } },
      ],
    },
  });
  expect(await codesOf(askGraphQL(gateway, admin, query.replace('Action', 'Action(first: 0)')))).toEqual([
    'invalid_request',
  ]);
});

test('says how many domains are due, and since when', async () => {
  await raw.collection('domains').deleteMany({});
  expect(await healthOf()).toMatchObject({ domainsDue: 0, oldestDueAt: null });
  const dueAt = [at(-MINUTE_MS), at(-2 * MINUTE_MS), at(DAY_MS)];
  await insert(dueAt.map((nextRunAt) => newDomain({ nextRunAt })));
  expect(await healthOf()).toMatchObject({ domainsDue: 2, oldestDueAt: at(-2 * MINUTE_MS).toISOString() });
});

test('lists certificates that expire soon or have expired, the earliest first', async () => {
  await raw.collection('domains').deleteMany({});
  const ends = [at(20 * DAY_MS), at(-DAY_MS), at(31 * DAY_MS), at(10 * DAY_MS)];
  const problem = problemOf({ code: 'ca_unavailable', name: 'a' }, at(0));
  const [second, first, , third] = ends.map((end) => newDomain({ certificate: certificateUntil(end) }));
  if (!first || !second || !third) throw new Error('there are four');
  await insert([
    second,
    { ...first, problem },
    newDomain({ certificate: certificateUntil(at(31 * DAY_MS)) }),
    third,
  ]);
  expect((await healthOf()).certificatesExpiring).toEqual([
    { name: first.name, expiresAt: ends[1]?.toISOString(), problem: { code: 'ca_unavailable' } },
    { name: third.name, expiresAt: ends[3]?.toISOString(), problem: null },
    { name: second.name, expiresAt: ends[0]?.toISOString(), problem: null },
  ]);
  const asked = (args: string) =>
    askGraphQL(gateway, admin, `{ systemHealth { certificatesExpiring(${args}) { name } } }`);
  expect(await dataOf(asked('withinDays: 40, first: 1'))).toEqual({
    systemHealth: { certificatesExpiring: [{ name: first.name }] },
  });
  for (const args of ['withinDays: -1', 'withinDays: 401', 'first: 0', 'first: 101'])
    expect(await codesOf(asked(args))).toEqual(['invalid_request']);
});

test('reads no domain itself to count them, and scans no collection', async () => {
  const database = raw.getClient().db(raw.name);
  await raw.collection('domains').deleteMany({});
  await insert(Array.from({ length: 30 }, () => newDomain({ nextRunAt: at(DAY_MS) })));
  await database.command({ profile: 2 });
  await healthOf();
  await gateway.services.system.domainsNeedingAction(10);
  await database.command({ profile: 0 });
  const seen = await database
    .collection('system.profile')
    .find({ ns: /\.domains$/ })
    .project({ planSummary: 1, docsExamined: 1, 'command.aggregate': 1, hasSortStage: 1 })
    .toArray();
  expect(seen.length).toBeGreaterThan(2);
  for (const { planSummary, hasSortStage } of seen)
    expect([planSummary, hasSortStage]).toEqual([expect.stringMatching(/IXSCAN|COUNT_SCAN/), undefined]);
  const counting = seen.filter(({ command }) => (command as { aggregate?: string }).aggregate !== undefined);
  expect(counting.map(({ docsExamined }) => docsExamined as number)).toEqual([0, 0, 0]);
});

test('has no domains where none are published', async () => {
  const plain = await startGateway();
  try {
    const { secret } = await plain.services.apiKeys.create({ name: 'admin', role: 'admin' });
    const health = await healthOf(plain, secret);
    expect(health.domains.map(({ count }) => count)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(health).toMatchObject({ domainsDue: 0, oldestDueAt: null, certificatesExpiring: [] });
  } finally {
    await plain.close();
  }
});

test('reports an outage of the quota store and its end, in the health query, the metrics and the readiness', async () => {
  const redis = await startRedisServer();
  const onRedis = await startGateway({
    env: { REDIS_URL: redis.url, ADMIN_API_KEY: 'an-admin-key-of-this-test' },
  });
  try {
    const reported = async () => {
      const text = await (await onRedis.request('/metrics', { key: 'an-admin-key-of-this-test' })).text();
      const { checks } = await readinessOf(onRedis.url, 'an-admin-key-of-this-test');
      const { quotaOutage } = await healthOf(onRedis, 'an-admin-key-of-this-test');
      return { quotaOutage, gauge: valueOf(text, 'quota_outage'), check: checks['quotaStore'] };
    };
    // What one of them tells is shared for a second, and the others are asked a moment later.
    const untilTold = (isOutage: boolean, expected: string) =>
      until(expected, async () => {
        const { quotaOutage, gauge, check } = await reported();
        return quotaOutage === isOutage && gauge === Number(isOutage) && check === expected;
      });
    await untilTold(false, 'redis: ok');
    await redis.kill();
    await onRedis.request('/v1/pets', { key: (await onRedis.keyOn('free')).secret });
    await untilTold(true, 'redis: no answer: local limits apply');
    await redis.restart();
    await untilTold(false, 'redis: ok');
  } finally {
    await onRedis.close();
    await redis.close();
  }
});
