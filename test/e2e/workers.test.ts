import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../support/command-line.js';
import { valueOf } from '../observability/metrics/exposition.js';
import { freshDatabase } from '../support/database.js';
import { chooseFreePort } from '../support/free-port.js';
import { failGatewayProcess, startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { isRunning } from '../support/is-running.js';
import { sendRaw } from '../support/raw-http.js';
import { until } from '../support/until.js';

const ADMIN = 'an-admin-key-for-the-test-of-workers';

const LISTED = 'query Listed { pets { id } }';
const UNLISTED = 'query Unlisted { pets { id name } }';
const folder = mkdtempSync(join(tmpdir(), 'pets-gateway-workers-'));
afterAll(() => rmSync(folder, { recursive: true }));
function list(...documents: readonly string[]): string {
  const file = join(folder, 'operations.json');
  writeFileSync(file, JSON.stringify(Object.fromEntries(documents.map((body, i) => [`id-${i}`, body]))));
  return file;
}

describe('WORKERS=2', () => {
  const database = freshDatabase();
  let gateway: GatewayProcess;
  let metricsPort: number;
  let startingAtMs: number;

  beforeAll(async () => {
    startingAtMs = Date.now();
    gateway = await startGatewayProcess({
      MONGODB_URI: database.uri,
      WORKERS: '2',
      // With none left, their replacements cannot learn a port that the system chose.
      PORT: String(await chooseFreePort()),
      ADMIN_API_KEY: ADMIN,
      GRAPHQL_OPERATIONS_FILE: list(LISTED),
      GRAPHQL_OPERATIONS_REQUIRED: 'all',
      TRUST_PROXY: 'loopback',
      METRICS_PORT: String((metricsPort = await chooseFreePort())),
    });
  });
  afterAll(async () => {
    const workers = workerPids();
    expect(await gateway.stop()).toBe(0);
    expect(workers.filter(isRunning)).toEqual([]);
    await database.drop();
  });

  /** By those of all processes: asked for the children of one alone, ps fails when there are none. */
  const workerPids = () =>
    execFileSync('ps', ['-A', '-o', 'ppid=,pid='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/ +/).map(Number))
      .flatMap(([parent, pid]) => (parent === gateway.pid && pid !== undefined ? [pid] : []));

  async function newKey(plan = 'free'): Promise<{ id: string; secret: string }> {
    const run = async (...args: string[]) => {
      const { stdout } = await runCommand(database, [...args, '--json'], {});
      return JSON.parse(stdout) as { id: string; secret: string };
    };
    const project = await run('projects', 'create', 'Shop', '--plan', plan);
    return run('keys', 'create', '--project', project.id);
  }

  /** Ends these at once, and resolves when as many others serve. */
  async function replace(victims: readonly number[]): Promise<void> {
    for (const pid of victims) process.kill(pid, 'SIGKILL');
    await until('others in their place', () => {
      const now = workerPids();
      return Promise.resolve(now.length === 2 && !now.some((pid) => victims.includes(pid)));
    });
    await bothServe();
  }

  const bothServe = () =>
    until('both to serve', async () => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return valueOf(text, 'workers') === 2;
    });
  const scrape = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  // Tests kill workers, and stop them for a while.
  beforeEach(bothServe);

  /** On a connection of its own, so that whichever worker is next answers. */
  const ask = async (headers: Record<string, string>): Promise<number> => {
    const response = await fetch(`${gateway.url}/v1/pets`, { headers: { connection: 'close', ...headers } });
    await response.arrayBuffer();
    return response.status;
  };
  const askAll = (secret: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => ask({ authorization: `Bearer ${secret}` })));
  const revoke = (id: string) =>
    fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN}`, 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify({
        query: `mutation { revokeApiKey(input: { id: "${id}" }) { apiKey { state } } }`,
      }),
    });
  const countOf = (statuses: readonly number[], status: number) =>
    statuses.filter((each) => each === status).length;

  test('one response has the metrics of both workers, at PORT and at METRICS_PORT', async () => {
    const { secret } = await newKey('pro');
    const urls = [`${gateway.url}/metrics`, `http://127.0.0.1:${metricsPort}/metrics`];
    const scrape = async (url = '') => {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${ADMIN}`, connection: 'close' } });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ]);
      return answer.text();
    };
    const admitted = async (url = '') =>
      valueOf(await scrape(url), 'quota_decisions_total', { plan: 'pro', decision: 'admitted' }) ?? 0;
    const before = await Promise.all(urls.map(admitted));
    await askAll(secret, 40);
    expect(await Promise.all(urls.map(admitted))).toEqual(before.map((count) => count + 40));

    const text = await scrape(urls[1]);
    expect(valueOf(text, 'workers')).toBe(2);
    expect(valueOf(text, 'ready')).toBe(1);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect((await fetch(`http://127.0.0.1:${metricsPort}/v1/pets`)).status).toBe(404);
    expect((await fetch(urls[1] ?? '', { method: 'POST' })).status).toBe(405);
    // A page whose name resolves to this machine.
    const elsewhere = 'GET /metrics HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n';
    expect((await sendRaw(urls[1] ?? '', elsewhere)).status).toBe(421);
  });

  test('METRICS_PORT has the checks of readiness without a key: the worst of both workers', async () => {
    const seen = await until('both workers to follow changes', async () => {
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/health/ready`);
      const { status, headers } = answer;
      const body = (await answer.json()) as { checks: Record<string, string> };
      // A worker serves a moment before its change stream is open.
      return body.checks['keyChanges'] === 'ok' && { status, type: headers.get('content-type'), body };
    });
    expect(seen).toEqual({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: {
        status: 'ready',
        checks: {
          mongodb: 'ok',
          migrations: 'ok',
          clock: 'ok',
          keyChanges: 'ok',
          quotaStore: 'mongodb: ok',
          load: 'ok',
        },
      },
    });
  });

  test('workers report every metric that one process reports', async () => {
    const namesOf = (text: string) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
    const aloneAt = await chooseFreePort();
    const alone = await startGatewayProcess({ MONGODB_URI: database.uri, METRICS_PORT: String(aloneAt) });
    try {
      const ofWorkers = namesOf(await scrape(metricsPort));
      expect(namesOf(await scrape(aloneAt)).filter((name) => !ofWorkers.includes(name))).toEqual([]);
    } finally {
      await alone.stop();
    }
  });

  test('replaces a killed worker, rejects requests only briefly, and keeps its counts', async () => {
    const { secret } = await newKey('business');
    const counted = async () => {
      const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`);
      const labels = { plan: 'business', decision: 'admitted' };
      return valueOf(await answer.text(), 'quota_decisions_total', labels) ?? 0;
    };
    const before = await counted();
    await askAll(secret, 100);
    expect(await counted()).toBe(before + 100);
    const pids = workerPids();
    await replace(pids.slice(0, 1));
    expect(workerPids().filter((pid) => pids.includes(pid))).toHaveLength(1);
    expect(gateway.output()).toContain('A worker ended; starting another');
    expect(await counted()).toBe(before + 100);
    expect(await askAll(secret, 40)).toEqual(Array.from({ length: 40 }, () => 200));
    expect(await counted()).toBe(before + 140);
  });

  test('later workers report the start of the gateway, not their own, and use its list of operations', async () => {
    const { secret } = await newKey('business');
    const statusesOf = (query: string) =>
      Promise.all(
        Array.from({ length: 20 }, async () => {
          const answer = await fetch(`${gateway.url}/graphql`, {
            method: 'POST',
            headers: {
              authorization: `Bearer ${secret}`,
              'content-type': 'application/json',
              connection: 'close',
            },
            body: JSON.stringify({ query }),
          });
          await answer.arrayBuffer();
          return answer.status;
        }),
      );
    const startedAt = async () => /^process_start_time_seconds (\d+)$/m.exec(await scrape(metricsPort))?.[1];
    const before = await startedAt();
    expect(Number(before)).toBeGreaterThanOrEqual(Math.floor(startingAtMs / 1000));
    expect(Number(before)).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
    list(UNLISTED);
    await replace(workerPids());
    expect(await startedAt()).toBe(before);
    expect(new Set(await statusesOf(LISTED))).toEqual(new Set([200]));
    expect(new Set(await statusesOf(UNLISTED))).toEqual(new Set([403]));
  });

  test('both workers serve, and 200 requests at once are admitted exactly as often as the plan allows', async () => {
    expect(workerPids()).toHaveLength(2);
    const { secret } = await newKey();
    const statuses = await askAll(secret, 200);
    expect([countOf(statuses, 200), countOf(statuses, 429)]).toEqual([60, 140]);
  });

  test('both workers reject a revoked key from the next request on', async () => {
    for (let round = 0; round < 3; round++) {
      const { id, secret } = await newKey();
      expect(await askAll(secret, 10)).toEqual(Array.from({ length: 10 }, () => 200));
      expect(await (await revoke(id)).json()).toMatchObject({
        data: { revokeApiKey: { apiKey: { state: 'revoked' } } },
      });
      expect(await askAll(secret, 10)).toEqual(Array.from({ length: 10 }, () => 401));
    }
  });

  test('a change waits 250 ms for a worker that does not respond', async () => {
    const { id } = await newKey();
    const [stopped = 0] = workerPids();
    process.kill(stopped, 'SIGSTOP');
    try {
      const begin = performance.now();
      // The stopped worker may be given one of the connections.
      await Promise.any(Array.from({ length: 3 }, () => revoke(id)));
      // Node rounds timers to whole milliseconds.
      expect(performance.now() - begin).toBeGreaterThan(248);
    } finally {
      process.kill(stopped, 'SIGCONT');
    }
  });

  test('unauthenticated clients have one limit across all workers', async () => {
    const statuses: number[] = [];
    const lastTen = () => statuses.slice(-10);
    // Ten at a time: on a busy machine, one after the other would take longer than the minute of the limit.
    while (countOf(lastTen(), 429) < 10)
      statuses.push(
        ...(await Promise.all(Array.from({ length: 10 }, () => ask({ 'x-forwarded-for': '203.0.113.9' })))),
      );
    expect(countOf(statuses, 401)).toBeGreaterThan(0);
    // With a limit each it would be 240. What the workers tell each other is under way for a moment: some pass beyond 120.
    expect(countOf(statuses, 401)).toBeLessThan(230);
  });
});

test('an unusable list of operations stops the start, with one message', async () => {
  const { code, output } = await failGatewayProcess({
    WORKERS: '2',
    DATA_DIR: join(folder, 'data'),
    GRAPHQL_OPERATIONS_FILE: list('{ nothing }'),
  });
  expect(code).toBe(2);
  expect(output.match(/Cannot query field/g)).toHaveLength(1);
});

test('workers that cannot bind the port stop the start with one message', async () => {
  const database = freshDatabase();
  const first = createServer().listen(0, '127.0.0.1');
  await once(first, 'listening');
  try {
    const port = String((first.address() as AddressInfo).port);
    const { code, output } = await failGatewayProcess({
      MONGODB_URI: database.uri,
      WORKERS: '2',
      PORT: port,
    });
    expect(code).toBe(1);
    expect(output).toContain(`error: cannot listen on 127.0.0.1:${port}`);
    expect(output.match(/^error: /gm)).toHaveLength(1);
  } finally {
    first.close();
    await database.drop();
  }
});
