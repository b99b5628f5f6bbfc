import { askGraphQL } from '../../interfaces/graphql/client.js';
import { startGateway, useGateway } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';
import { until } from '../../support/until.js';
import { createStore, startPlatform, visit } from '../../interfaces/sites/visitor.js';
import { samplesOf, valueOf } from './exposition.js';

const ADMIN_API_KEY = 'the-admin-key-of-this-test';

const gateway = useGateway({ env: { ADMIN_API_KEY } });

async function scrape(): Promise<string> {
  const answer = await gateway.request('/metrics', { key: ADMIN_API_KEY });
  expect(answer.status).toBe(200);
  return answer.text();
}

/** How much these counters grew while `act` ran. */
async function growthOf(samples: readonly [string, Record<string, string>?][], act: () => Promise<unknown>) {
  const read = async () => {
    const text = await scrape();
    return samples.map(([name, labels]) => valueOf(text, name, labels) ?? 0);
  };
  const before = await read();
  await act();
  const after = await read();
  return after.map((value, index) => value - (before[index] ?? 0));
}

describe('GET /metrics', () => {
  test('is for admin keys alone, in the text format of Prometheus, and costs nothing', async () => {
    const { secret } = await gateway.keyOn('free');
    expect((await gateway.request('/metrics')).status).toBe(401);
    const refused = await gateway.request('/metrics', { key: secret });
    expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([403, 'forbidden']);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('60');

    const answer = await gateway.request('/metrics', { key: ADMIN_API_KEY });
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect((await gateway.request('/metrics', { key: ADMIN_API_KEY, method: 'HEAD' })).status).toBe(200);
    const next = await gateway.request('/v1/pets', { key: ADMIN_API_KEY });
    expect(next.headers.get('x-ratelimit-remaining')).toBe('5999');
  });

  test('counts requests by interface, operation and status, and how long they took', async () => {
    const { secret } = await gateway.keyOn('enterprise', AMPLE);
    const graphql = { interface: 'graphql', operation: 'pets' };
    const rest = { interface: 'rest', operation: 'listPets' };
    const growth = await growthOf(
      [
        ['requests_total', { ...rest, status: '200' }],
        ['requests_total', { ...rest, status: '400' }],
        ['requests_total', { ...rest, status: '401' }],
        ['requests_total', { ...graphql, status: '200' }],
        ['requests_total', { interface: 'health', status: '200' }],
        ['request_duration_seconds_count', rest],
        ['request_duration_seconds_bucket', { ...rest, le: '+Inf' }],
      ],
      async () => {
        await gateway.request('/v1/pets', { key: secret });
        await gateway.request('/v1/pets?status=sold', { key: secret });
        await gateway.request('/v1/pets?limit=0', { key: secret });
        await gateway.request('/v1/pets');
        await askGraphQL(gateway, secret, '{ pets { id } }');
        await gateway.request('/health/live');
      },
    );
    expect(growth).toEqual([2, 1, 1, 1, 1, 4, 4]);
  });

  test('tells how long the event loop was at work', async () => {
    const [seconds = 0] = await growthOf([['event_loop_active_seconds_total']], async () => {
      await gateway.request('/health/live');
    });
    expect(seconds).toBeGreaterThan(0);
  });

  test('counts what quotas decided by plan, bans, and the units that were charged', async () => {
    const { secret } = await gateway.keyOn('enterprise', { requestsPerMinute: 3, requestsPerDay: 100 });
    const plan = 'enterprise';
    const growth = await growthOf(
      [
        ['quota_decisions_total', { plan, decision: 'admitted' }],
        ['quota_decisions_total', { plan, decision: 'rate_limit_exceeded' }],
        ['quota_units_total', { plan }],
      ],
      async () => {
        await askGraphQL(gateway, secret, '{ a: pets { id } b: pets { id } }');
        for (let i = 0; i < 3; i++) await gateway.request('/v1/pets', { key: secret });
      },
    );
    expect(growth).toEqual([2, 2, 3]);
  });

  test('times the stores and the limiter, and counts what was at hand in memory', async () => {
    const { secret } = await gateway.keyOn('pro');
    const query = `{ pets(limit: 7) { id name } } # ${secret.length}`;
    const growth = await growthOf(
      [
        ['store_duration_seconds_count', { store: 'pets', operation: 'list' }],
        ['store_duration_seconds_count', { store: 'keys', operation: 'findBySecretHash' }],
        ['quota_decision_duration_seconds_count'],
        ['cache_lookups_total', { cache: 'keys', result: 'miss' }],
        ['cache_lookups_total', { cache: 'documents', result: 'miss' }],
        ['cache_lookups_total', { cache: 'documents', result: 'hit' }],
      ],
      async () => {
        await askGraphQL(gateway, secret, query);
        await askGraphQL(gateway, secret, query);
      },
    );
    // The key of the scrape is at hand.
    expect(growth).toEqual([2, 1, 2, 1, 1, 1]);
    const text = await scrape();
    expect(valueOf(text, 'store_failures_total', { store: 'pets', operation: 'list' })).toBe(0);
    expect(
      valueOf(text, 'store_duration_seconds_count', { store: 'quota_mongodb', operation: 'decide' }),
    ).toBeGreaterThan(0);
    expect(valueOf(text, 'cache_lookups_total', { cache: 'keys', result: 'hit' })).toBeGreaterThan(0);
  });

  test('says how the gateway is: ready, hearing of changes, its clock right, no outage, no overload', async () => {
    const names = [
      'ready',
      'key_changes_healthy',
      'quota_outage',
      'requests_in_flight',
      'requests_receiving',
      'requests_shed_total',
      'workers',
    ];
    // The request for them is under way itself. A machine that stood still has to hear of changes again.
    const text = await until('all to be well', async () => {
      const scraped = await scrape();
      const values = names.map((name) => valueOf(scraped, name));
      const isRight = Math.abs(valueOf(scraped, 'clock_offset_seconds') ?? NaN) < 1;
      return values.join() === [1, 1, 0, 1, 0, 0, 1].join() && isRight && scraped;
    });
    expect(samplesOf(text).find(({ name }) => name === 'pets_gateway_build_info')?.labels).toEqual({
      version: '1.0.0',
    });
  });

  test('has a line of help for each metric, and no label that clients could multiply', async () => {
    const { secret } = await gateway.keyOn('pro');
    for (const path of ['/v1/dogs', '/v1/pets/x', `/v1/pets?x=${secret}`, '/dashboard/nothing', '/docs/x'])
      await gateway.request(path, { key: secret });
    await askGraphQL(gateway, secret, '{ dogs }');
    await askGraphQL(gateway, secret, 'query Mine { mine: pets { id } }');
    const text = await scrape();
    const operations = new Set(samplesOf(text).flatMap(({ labels }) => labels['operation'] ?? []));
    for (const made of ['dogs', 'Mine', 'mine', '/v1/dogs', 'x']) expect(operations).not.toContain(made);
    expect(text).not.toContain(secret.slice(0, 14));
    const types = Array.from(text.matchAll(/^# TYPE (\S+)/gm), ([, name]) => name);
    const helps = Array.from(text.matchAll(/^# HELP (\S+) \S.{10,}$/gm), ([, name]) => name);
    expect(helps).toEqual(types);
  });
});

test('at a published site GraphQL is the interface, and its files are the site', async () => {
  const platform = await startPlatform({ env: { ADMIN_API_KEY } });
  try {
    const { host } = await createStore(platform);
    const body = JSON.stringify({ query: '{ pets { id } }' });
    const headers = { 'content-type': 'application/json' };
    await visit(platform, host, '/graphql', { method: 'POST', headers, body });
    await visit(platform, host, '/nothing');
    const text = await (await platform.request('/metrics', { key: ADMIN_API_KEY })).text();
    const requests = samplesOf(text).filter(
      ({ name, value }) => name === 'pets_gateway_requests_total' && value > 0,
    );
    expect(requests.map(({ labels }) => labels['interface'])).toEqual(['graphql', 'site']);
  } finally {
    await platform.close();
  }
});

test('failures are counted from 0 on, so that a burst right after the start shows in rates', async () => {
  const fresh = await startGateway({ env: { ADMIN_API_KEY } });
  try {
    const text = await (await fresh.request('/metrics', { key: ADMIN_API_KEY })).text();
    for (const labels of [
      { interface: 'rest', operation: 'listPets', status: '503' },
      { interface: 'graphql', operation: 'createPet', status: '500' },
      { interface: 'graphql', operation: 'other', status: '503' },
    ])
      expect(samplesOf(text)).toContainEqual({ name: 'pets_gateway_requests_total', labels, value: 0 });
  } finally {
    await fresh.close();
  }
});
