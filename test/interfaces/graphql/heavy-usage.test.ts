import type { Connection } from 'mongoose';
import { MAX_USAGE_DAYS } from '../../../src/features/usage/usage-range.js';
import { useGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';
import { until } from '../../support/until.js';
import { askGraphQL, codesOf, dataOf } from './client.js';

const DAY_MS = 86_400_000;
const DAYS = 366;

const gateway = useGateway();
let raw: Connection;
/** An admin key, whose own requests are no usage of the project. */
let secret: string;
let projectId: string;

beforeAll(async () => {
  raw = await rawDatabase(gateway);
  ({ id: projectId } = await gateway.services.projects.create({ name: 'Paws', plan: 'pro' }));
  ({ secret } = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' }));
  await raw.collection('usage').insertMany(
    Array.from({ length: DAYS }, (_, ago) => {
      const day = new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10);
      const counts = { requests: 2, cost: 3 };
      return {
        _id: `${projectId} ${day}` as never,
        of: projectId,
        day,
        groups: { 'rest listPets 200': counts, 'rest listPets 429': counts },
        cost: 6,
        bans: 1,
        endsAt: new Date(Date.parse(day) + DAY_MS),
      };
    }),
  );
});
afterAll(() => raw.close());

const aYearAgo = () => new Date(Date.now() - (DAYS - 1) * DAY_MS).toISOString();
const ask = <T = Record<string, unknown>>(query: string) => askGraphQL<T>(gateway, secret, query);

/** The commands on usage that MongoDB ran for what `run` sends, and how many documents each returned. */
async function readsOf(run: () => Promise<unknown>): Promise<{ op: string; nreturned: number }[]> {
  const db = raw.getClient().db(gateway.databaseName);
  await db.command({ profile: 2 });
  const since = new Date();
  await run();
  await db.command({ profile: 0 });
  const found = await db
    .collection('system.profile')
    .find({ ts: { $gte: since }, ns: `${gateway.databaseName}.usage`, op: { $in: ['query', 'command'] } })
    .toArray();
  return found.map((each) => ({ op: String(each['op']), nreturned: Number(each['nreturned']) }));
}

test('the sums of a year, 58 times in one request, are one read of the groups', async () => {
  const field = `project(id: "${projectId}") { usage(from: "${aYearAgo()}") { requests cost refused bans groups { requests } } }`;
  const reads = await readsOf(async () => {
    const data = await dataOf(
      ask<{ a57: unknown }>(`{ ${Array.from({ length: 58 }, (_, i) => `a${i}: ${field}`).join(' ')} }`),
    );
    const sum = { requests: 4 * DAYS, cost: 6 * DAYS, refused: 2 * DAYS, bans: DAYS };
    const groups = [{ requests: 2 * DAYS }, { requests: 2 * DAYS }];
    expect(data.a57).toEqual({ usage: { ...sum, groups } });
  });
  expect(reads).toEqual([{ op: 'command', nreturned: 2 }]);
});

test('days and sums of the same range are one read', async () => {
  const reads = await readsOf(async () => {
    const usage = `usage(from: "${aYearAgo()}")`;
    const { project } = await dataOf(
      ask<{ project: { sum: { requests: number }; days: { days: { requests: number }[] } } }>(
        `{ project(id: "${projectId}") { sum: ${usage} { requests } days: ${usage} { ...Days } } } fragment Days on Usage { days { requests } }`,
      ),
    );
    expect(project.sum.requests).toBe(4 * DAYS);
    expect(project.days.days).toEqual(Array.from({ length: DAYS }, () => ({ requests: 4 })));
  });
  expect(reads).toEqual([expect.objectContaining({ op: 'query' })]);
});

test.each([
  ['a page of keys', '{ apiKeys(first: 95) { edges { node { usage(from: "FROM") { requests } } } } }'],
  [
    'as variables',
    'query ($n: Int = 95, $from: DateTime = "FROM") { apiKeys(first: $n) { edges { node { usage(from: $from) { requests } } } } }',
  ],
])('a year of usage is as many nodes as it has days: %s', async (_where, query) => {
  let reads: unknown;
  const codes = await (async () => {
    let found: string[] = [];
    reads = await readsOf(async () => {
      found = await codesOf(ask(query.replace('FROM', aYearAgo())));
    });
    return found;
  })();
  expect(codes).toEqual(['query_too_costly']);
  expect(reads).toEqual([]);
});

test('the default of a variable counts, and that of an argument for a variable without a value', async () => {
  const pages = (declared: string) =>
    `query (${declared}) { projects(first: $n) { edges { node { apiKeys(first: $n) { edges { cursor } } } } } }`;
  expect(await codesOf(ask(pages('$n: Int = 5')))).toEqual([]);
  expect(await codesOf(ask(pages('$n: Int')))).toEqual([]);
  expect(await codesOf(ask(pages('$n: Int = 100')))).toEqual(['query_too_costly']);
});

test('a range that has too many days is rejected by itself, and reads nothing', async () => {
  const from = new Date(Date.now() - 2 * MAX_USAGE_DAYS * DAY_MS).toISOString();
  const reads = await readsOf(async () => {
    const codes = await codesOf(
      ask(`{ apiKeys(first: 95) { edges { node { usage(from: "${from}") { requests } } } } }`),
    );
    expect(new Set(codes)).toEqual(new Set(['invalid_request']));
  });
  expect(reads).toEqual([]);
});

test('comparisons with all plans, in 50 root fields, are one read', async () => {
  const plans = ['free', 'pro', 'business', 'enterprise'];
  const fields = plans.map((plan) => `${plan}: underPlan(plan: ${plan}) { over }`).join(' ');
  const field = `project(id: "${projectId}") { usage { ...P } }`;
  const reads = await readsOf(async () => {
    const data = await dataOf(
      ask<{ a49: unknown }>(
        `{ ${Array.from({ length: 50 }, (_, i) => `a${i}: ${field}`).join(' ')} } fragment P on Usage { ${fields} }`,
      ),
    );
    const none = Object.fromEntries(plans.map((plan) => [plan, { over: 0 }]));
    expect(data.a49).toEqual({ usage: none });
  });
  // One for the usage, one for the plans.
  expect(reads).toHaveLength(2);
});

describe('a read ends with its request', () => {
  /** Reads of usage that never end by themselves. Returns the signals that they got. */
  function holdReads(): AbortSignal[] {
    const signals: AbortSignal[] = [];
    jest.spyOn(gateway.services.usage, 'sumOf').mockImplementation(
      (_ids, _range, signal) =>
        new Promise((_, reject) => {
          if (signal === undefined) throw new Error('a read without a signal');
          signals.push(signal);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    );
    return signals;
  }
  afterEach(() => jest.restoreAllMocks());
  const query = () => `{ project(id: "${projectId}") { usage { requests } } }`;

  test('whose client has gone', async () => {
    const signals = holdReads();
    const client = new AbortController();
    const answer = gateway.request('/graphql', {
      method: 'POST',
      key: secret,
      body: JSON.stringify({ query: query() }),
      headers: { 'content-type': 'application/json' },
      signal: client.signal,
    });
    await until('the read to begin', () => Promise.resolve(signals.length === 1));
    client.abort();
    await expect(answer).rejects.toThrow();
    await until('the read to end', () => Promise.resolve(signals[0]?.aborted === true));
    expect(gateway.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  test('that got 503 because it took too long', async () => {
    const signals = holdReads();
    expect(await codesOf(ask(query()))).toEqual(['service_unavailable']);
    await until('the read to end', () => Promise.resolve(signals[0]?.aborted === true));
    expect(signals).toHaveLength(1);
  });

  test('in MongoDB too', async () => {
    const ended = AbortSignal.abort(new Error('the request has ended'));
    const { usage } = gateway.services;
    const range = usage.range(undefined, undefined);
    await expect(usage.sumOf([projectId], range, ended)).rejects.toThrow('the request has ended');
    await expect(usage.of([projectId], range, ended)).rejects.toThrow('the request has ended');
    await expect(usage.underPlans('key', ['a'], range, ['free'], ended)).rejects.toThrow('has ended');
    await expect(usage.refusals(['a'], 1, ended)).rejects.toThrow('the request has ended');
  });
});
