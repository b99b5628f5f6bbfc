import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { factsOf } from '../facts.js';
import { keepReport, RESULTS_HELP } from '../keep-report.js';
import { runLoad } from '../load.js';
import { renderFacts, renderRows, round } from '../markdown.js';
import { positive } from '../options.js';
import { fillWithPets, startDatabase } from '../targets/database.js';
import { openGatewayKeys, type FreshKey, type GatewayKeys } from '../targets/gateway-keys.js';
import { restList } from '../workloads.js';
import { startServer, type RunningServer } from '../targets/running-server.js';

const CHANGES = 200;
const HELP = `npm run bench:propagation -- [options]
  --changes N       revoked keys, without other requests and again under load (${CHANGES})
  --results FOLDER  ${RESULTS_HELP}
`;
const GATEWAY = join(__dirname, '../../bin/pets-gateway.js');
const PETS = 1000;
const LOAD_CONNECTIONS = 20;
/** The load is ended once the changes are made; this only bounds it. */
const LOAD_SECONDS = 600;
/** A change that has not arrived by then is lost. */
const PATIENCE_MS = 30_000;

/** Milliseconds from the answer that acknowledges a change until another process answers by it. */
interface Cell {
  name: string;
  latenciesMs: readonly number[];
}

/** `npm run bench:propagation`: how soon other processes know of a change to a key. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      changes: { type: 'string', default: String(CHANGES) },
      results: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const startedAt = new Date();
  const cells = await measure(positive(values.changes));
  const facts = await factsOf(startedAt);
  const markdown = [
    ...renderFacts(`How soon other processes know of a change, ${facts.startedAt}`, facts),
    ...renderRows(
      [
        'a key is revoked',
        'changes × processes',
        'p50 ms',
        'p90 ms',
        'p99 ms',
        'longest ms',
        'within 500 ms',
      ],
      cells.map(({ name, latenciesMs }) => [
        name,
        String(latenciesMs.length),
        ...[0.5, 0.9, 0.99, 1].map((share) => round(quantile(latenciesMs, share), 0)),
        `${round((100 * latenciesMs.filter((ms) => ms <= 500).length) / latenciesMs.length, 1)} %`,
      ]),
    ),
  ].join('\n');
  const report = { facts, cells };
  await keepReport(values.results, 'propagation', report, markdown);
  process.stdout.write(markdown);
  return 0;
}

/** Three processes over one database: one makes the changes, and the other two are asked. */
async function measure(changes: number): Promise<Cell[]> {
  const database = await startDatabase();
  const uri = database.uriOf('propagation');
  const servers: RunningServer[] = [];
  try {
    await fillWithPets(uri, PETS);
    const keys = await openGatewayKeys(uri);
    try {
      const env = {
        MONGODB_URI: uri,
        PORT: '0',
        LOG_LEVEL: 'error',
        // A rejected key makes its client an unauthenticated one.
        ANONYMOUS_REQUESTS_PER_MINUTE: '1000000',
      };
      for (let i = 0; i < 3; i += 1)
        servers.push(await startServer(process.execPath, [GATEWAY, 'serve'], env));
      const [writer = '', ...others] = servers.map(({ url }) => url);
      const admin = await keys.admin();
      const revokeSome = async (count: number) => revokeEach(await keys.fresh(count), admin, writer, others);
      await revokeSome(Math.ceil(changes / 10));
      return [
        { name: 'and nothing else happens', latenciesMs: await revokeSome(changes) },
        {
          name: `while ${LOAD_CONNECTIONS} connections list pets at each process`,
          latenciesMs: await underLoad(servers, keys, () => revokeSome(changes)),
        },
      ];
    } finally {
      await keys.close();
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
    await database.close();
  }
}

async function revokeEach(
  keys: readonly FreshKey[],
  admin: string,
  writer: string,
  others: readonly string[],
): Promise<number[]> {
  const latenciesMs: number[] = [];
  const agent = new Agent({ keepAlive: true });
  try {
    for (const { id, secret } of keys) {
      for (const url of others) {
        const status = await statusOf(url, secret, agent);
        if (status !== 200) throw new Error(`a new key got ${status}`);
      }
      await revoke(id, writer, admin);
      const revokedAt = performance.now();
      latenciesMs.push(
        ...(await Promise.all(others.map((url) => untilRefused(url, secret, agent, revokedAt)))),
      );
    }
  } finally {
    agent.destroy();
  }
  return latenciesMs;
}

async function revoke(id: string, writer: string, admin: string): Promise<void> {
  const query = 'mutation ($input: RevokeApiKeyInput!) { revokeApiKey(input: $input) { apiKey { id } } }';
  const answer = await fetch(`${writer}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${admin}` },
    body: JSON.stringify({ query, variables: { input: { id } } }),
  });
  const text = await answer.text();
  if (!answer.ok || text.includes('"errors"')) throw new Error(`revokeApiKey: ${answer.status} ${text}`);
}

async function untilRefused(url: string, secret: string, agent: Agent, revokedAt: number): Promise<number> {
  while (performance.now() - revokedAt < PATIENCE_MS) {
    const askedAt = performance.now();
    const status = await statusOf(url, secret, agent);
    // Decided somewhere between: the later end would add the time of a request.
    if (status === 401) return Math.max(0, (askedAt + performance.now()) / 2 - revokedAt);
    if (status !== 200) throw new Error(`a revoked key got ${status}`);
  }
  throw new Error(`a revoked key was admitted for ${PATIENCE_MS} ms`);
}

function statusOf(url: string, secret: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${secret}` };
    const asked = request(`${url}/v1/pets?limit=1`, { headers, agent }, (answer) => {
      answer.resume().once('error', reject);
      answer.once('end', () => resolve(answer.statusCode));
    });
    asked.once('error', reject).end();
  });
}

async function underLoad<T>(
  servers: readonly RunningServer[],
  keys: GatewayKeys,
  work: () => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const many = await keys.of('hundred', LOAD_SECONDS);
  const loads = servers.map(({ url }) => {
    const requests = [restList('available', 20)];
    const plan = {
      url,
      requests,
      headers: {},
      keys: many,
      connections: LOAD_CONNECTIONS,
      seconds: LOAD_SECONDS,
    };
    return runLoad(plan, stop.signal).then(
      () => Promise.reject(new Error('the load ended too early')),
      (error: unknown) => {
        if (!stop.signal.aborted) throw error;
      },
    );
  });
  try {
    return await Promise.race([work(), Promise.all(loads).then(() => Promise.reject(new Error('no load')))]);
  } finally {
    stop.abort();
    await Promise.allSettled(loads);
  }
}

/** The nearest rank. */
function quantile(values: readonly number[], share: number): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1];
}
