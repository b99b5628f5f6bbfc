import { join } from 'node:path';
import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';
import { chooseFreePort } from '../support/free-port.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { alertRules, autoscalerQuery, dashboardQueries, metricsIn } from '../support/monitoring-files.js';
import { startPrometheus, type Prometheus } from '../support/prometheus.js';
import { startRedisServer } from '../support/redis-server.js';
import { runProgram } from '../support/run-program.js';
import { until } from '../support/until.js';

const FOLDER = join(__dirname, '../../deploy/prometheus');
/** Two requests each: more than the Free plan's minute. */
const ROUNDS = 35;
const ADMIN_API_KEY = 'an-admin-key-for-the-test-of-prometheus';

test('promtool takes the configuration and the rules, and each alert fires when it should', async () => {
  for (const args of [
    ['check', 'config', join(FOLDER, 'prometheus.yml')],
    ['test', 'rules', join(FOLDER, 'alerts.test.yml')],
  ])
    expect(await runProgram('promtool', args)).toMatchObject({ code: 0 });
});

describe.each(['1', '2'])('a gateway with WORKERS=%s, and a Prometheus that asks it', (workers) => {
  const database = freshDatabase();
  let gateway: GatewayProcess;
  let prometheus: Prometheus;
  let target: string;

  beforeAll(async () => {
    const port = String(await chooseFreePort());
    target = `127.0.0.1:${port}`;
    gateway = await startGatewayProcess({
      MONGODB_URI: database.uri,
      WORKERS: workers,
      METRICS_PORT: port,
      ADMIN_API_KEY,
    });
    prometheus = await startPrometheus(target);
    await until('a first look', async () => (await prometheus.query('up == 1')).length > 0);
    await makeTraffic();
  });
  afterAll(async () => {
    await prometheus.close();
    await gateway.stop();
    await database.drop();
  });

  /** Something of all that a healthy gateway counts: each interface, each decision of a quota, what is refused. */
  async function makeTraffic(): Promise<void> {
    const run = async (...args: string[]) =>
      JSON.parse((await runCommand(database, [...args, '--json'], {})).stdout) as {
        id: string;
        secret: string;
      };
    const { id } = await run('projects', 'create', 'Shop', '--plan', 'free');
    const { secret } = await run('keys', 'create', '--project', id);
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ query: '{ pets { id } }' });
    for (let i = 0; i < ROUNDS; i++) {
      await fetch(`${gateway.url}/v1/pets?limit=${i % 2}`, { headers });
      await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
    }
    await fetch(`${gateway.url}/health/live`);
  }

  async function exportedNames(): Promise<Set<string>> {
    const exposed = await (await fetch(`http://${target}/metrics`)).text();
    return new Set(
      Array.from(exposed.matchAll(/^# TYPE (\S+) (\S+)/gm), ([, name = '', type]) =>
        type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : name,
      ).flat(),
    );
  }

  test('the dashboard and the rules use only existing metrics', async () => {
    const expressions = [
      ...dashboardQueries().map(({ expression }) => expression),
      ...alertRules().map(({ expr }) => expr),
      autoscalerQuery('', 'pod'),
    ];
    const named = new Set(expressions.flatMap(metricsIn));
    expect(named.size).toBeGreaterThan(25);
    const exported = await exportedNames();
    expect([...named].filter((name) => !exported.has(name))).toEqual([]);
  });

  test.each(dashboardQueries().map((query) => [query.panel, query.expression, query] as const))(
    'the dashboard shows: %s, %s',
    async (_panel, expression, { legendLabels }) => {
      // Also where nothing has failed: what counts failures begins at 0.
      const found = await until(expression, async () => {
        const series = await prometheus.query(expression);
        return series.length > 0 && series;
      });
      for (const { labels } of found)
        expect(Object.keys(labels)).toEqual(expect.arrayContaining(legendLabels));
    },
  );

  test('every rule is evaluated, and no alert fires', async () => {
    for (const { expr } of alertRules()) await prometheus.query(expr);
    expect(await prometheus.query('ALERTS{alertstate="firing"}')).toEqual([]);
    expect(await prometheus.query('pets_gateway_workers')).toEqual([
      expect.objectContaining({ value: Number(workers) }),
    ]);
  });

  test('the autoscaler gets the load of the gateway, between 0 and 1', async () => {
    const expression = autoscalerQuery('job="pets-gateway"', 'instance');
    const [found] = await until(expression, async () => {
      const series = await prometheus.query(expression);
      return series.length === 1 && series;
    });
    expect(found?.value).toBeGreaterThan(0);
    expect(found?.value).toBeLessThan(1);
  });

  test('what Prometheus has counted is what was asked', async () => {
    const counted = (apiInterface: string) =>
      until(`the last request at ${apiInterface}`, async () => {
        const [sum] = await prometheus.query(`sum(pets_gateway_requests_total{interface="${apiInterface}"})`);
        return sum !== undefined && sum.value >= ROUNDS && sum.value;
      });
    expect([await counted('graphql'), await counted('rest')]).toEqual([ROUNDS, ROUNDS]);
  });
});

test('Redis dies under a gateway: what the alerts ask for is seen, and it stays ready', async () => {
  const database = freshDatabase();
  const redis = await startRedisServer();
  const port = String(await chooseFreePort());
  const gateway = await startGatewayProcess({
    MONGODB_URI: database.uri,
    REDIS_URL: redis.url,
    METRICS_PORT: port,
    ADMIN_API_KEY,
  });
  const prometheus = await startPrometheus(`127.0.0.1:${port}`);
  const alerting = async (name: string) => {
    const expr = alertRules().find(({ alert }) => alert === name)?.expr ?? '';
    return (await prometheus.query(expr)).length > 0;
  };
  const ask = async () => {
    const { status } = await fetch(`${gateway.url}/v1/pets`, {
      headers: { authorization: `Bearer ${ADMIN_API_KEY}` },
    });
    expect(status).toBe(200);
  };
  try {
    await ask();
    await until('a first look', async () => (await prometheus.query('up == 1')).length > 0);
    expect(await alerting('PetsGatewayQuotaStoreDown')).toBe(false);
    await redis.kill();
    await until('both alerts', async () => {
      await ask();
      return (await alerting('PetsGatewayQuotaStoreDown')) && (await alerting('PetsGatewayStoreFails'));
    });
    expect(await alerting('PetsGatewayNotReady')).toBe(false);
  } finally {
    await prometheus.close();
    await gateway.stop();
    await redis.close();
    await database.drop();
  }
});
