import type { Connection } from 'mongoose';
import type { Domain } from '../../../../src/features/publishing/domains/domain.js';
import type {
  CertificateBudget,
  DomainProgress,
} from '../../../../src/features/publishing/domains/domains-store.js';
import { takeStep, type StepParts } from '../../../../src/features/publishing/domains/steps.js';
import { createMongoCertificateBudget } from '../../../../src/features/publishing/domains/mongo-certificate-budget.js';
import { connectMongo } from '../../../../src/platform/mongo/connection.js';
import { siteDomainOf } from '../../../../src/features/publishing/domains/site-domain.js';
import { freshDatabase } from '../../../support/database.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const WEEK_MS = 7 * 24 * HOUR_MS;
const NOW = new Date();
const after = (ms: number) => new Date(NOW.getTime() + ms);

const database = freshDatabase();
const connections: Connection[] = [];

beforeAll(async () => {
  for (let i = 0; i < 2; i++)
    connections.push(
      await connectMongo({
        uri: database.uri,
        defaultDatabase: 'unused',
        databaseSuffix: '',
        selectionTimeoutMs: 5000,
      }),
    );
});
afterAll(async () => {
  await Promise.all(connections.map((connection) => connection.close()));
  await database.drop();
});

let count = 0;
/** The same budget, as two gateways have it. */
function budgets(perWeek: number, perWeekThere = perWeek): [CertificateBudget, CertificateBudget] {
  const platformHost = `pets-${++count}.test`;
  const [first, second] = connections.map((connection, i) =>
    createMongoCertificateBudget(connection, platformHost, i === 0 ? perWeek : perWeekThere),
  );
  if (first === undefined || second === undefined) throw new Error('two connections');
  return [first, second];
}

test('two concurrent gateways never get more than the budget, and nothing is left over', async () => {
  const [here, there] = budgets(5);
  const ids = Array.from({ length: 40 }, (_, i) => `dom_${i}`);
  const answers = await Promise.all(ids.map((id, i) => (i % 2 === 0 ? here : there).take(id, after(i))));
  expect(answers.filter((freeAt) => freeAt === undefined)).toHaveLength(5);
});

test('a slot counts once, whichever gateway takes it again', async () => {
  const [here, there] = budgets(2);
  for (const budget of [here, there, here]) expect(await budget.take('dom_a', NOW)).toBeUndefined();
  expect(await there.take('dom_b', NOW)).toBeUndefined();
  expect(await here.take('dom_c', NOW)).toBeInstanceOf(Date);
});

test('no seven days exceed the budget: a slot is free a week after its last use', async () => {
  const [budget] = budgets(2);
  await budget.take('dom_a', NOW);
  await budget.take('dom_b', after(MINUTE_MS));
  // The step that brings the certificate: the authority counts from then on.
  await budget.take('dom_a', after(30 * MINUTE_MS));

  const freeAt = await budget.take('dom_c', after(31 * MINUTE_MS));
  expect(freeAt?.getTime()).toBeGreaterThan(after(WEEK_MS + MINUTE_MS).getTime());
  expect(freeAt?.getTime()).toBeLessThan(after(WEEK_MS + 30 * MINUTE_MS).getTime());
  expect(await budget.take('dom_c', after(WEEK_MS))).toEqual(freeAt);
  expect(await budget.take('dom_c', freeAt ?? NOW)).toBeUndefined();
  expect(await budget.take('dom_d', freeAt ?? NOW)).toBeInstanceOf(Date);
});

test('a failed attempt frees its slot at once', async () => {
  const [here, there] = budgets(1);
  await here.take('dom_a', NOW);
  expect(await there.take('dom_b', NOW)).toBeInstanceOf(Date);
  await here.refund('dom_a', NOW);
  await here.refund('dom_none', NOW);
  expect(await there.take('dom_b', NOW)).toBeUndefined();
});

test("a gateway that lost a site to another one frees nothing of the other's slots", async () => {
  const [here, there] = budgets(1);
  await here.take('dom_a', NOW);
  await there.take('dom_a', after(MINUTE_MS));
  await here.refund('dom_a', NOW);
  expect(await here.take('dom_b', after(MINUTE_MS))).toBeInstanceOf(Date);
});

test('a reduced budget takes no slots away, and grants none until there is room', async () => {
  const [large, small] = budgets(3, 1);
  for (const id of ['dom_a', 'dom_b', 'dom_c']) await large.take(id, NOW);
  await small.take('dom_a', after(1));
  await small.take('dom_d', after(1));
  expect(await large.take('dom_e', after(2))).toBeInstanceOf(Date);
});

test('a site that waits checks again within the hour, because a slot can become free early', async () => {
  const [budget] = budgets(1);
  await budget.take('dom_a', NOW);
  const project = { id: 'proj_b', name: 'B', slug: 'b', plan: 'free', createdAt: NOW } as const;
  const site: Domain = { ...siteDomainOf(project, 'pets.test', NOW), status: 'issuing' };
  const stepAt = async (now: Date) => {
    let progress: DomainProgress | undefined;
    const save = (_claim: unknown, stored: DomainProgress) => {
      progress = stored;
      return Promise.resolve(true);
    };
    const live = { ...project, liveDeployId: 'dep_1' };
    const clock = () => now.getTime();
    // A gateway that waits for a place needs nothing else.
    const parts = {
      domains: { save },
      projects: { get: () => Promise.resolve(live) },
      platformHost: 'pets.test',
      siteBudget: budget,
      authority: { clock },
      clock,
      onStep: () => undefined,
    } as unknown as StepParts;
    await takeStep({ domain: site, fence: 1, isWatch: false }, parts);
    expect(progress?.problem).toMatchObject({ code: 'ca_rate_limited', retryAt: progress?.nextRunAt });
    return progress?.nextRunAt;
  };
  expect(await stepAt(NOW)).toEqual(after(HOUR_MS));
  const freeAt = await budget.take('dom_b', NOW);
  expect(await stepAt(after(WEEK_MS))).toEqual(freeAt);
});
