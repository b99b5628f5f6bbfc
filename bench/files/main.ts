import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { runProgram } from '../../test/support/run-program.js';
import { factsOf } from '../facts.js';
import { keepReport, RESULTS_HELP } from '../keep-report.js';
import { runLoad, type LoadResult } from '../load.js';
import { renderFacts, renderRows, renderSection, round } from '../markdown.js';
import { positive } from '../options.js';
import { usageOf } from '../process-usage.js';
import { medianOf } from '../summary.js';
import { startDatabase } from '../targets/database.js';
import { untilInterrupted } from '../until-interrupted.js';
import { startGatewayOfFiles, startNginxOfFiles, startNodeServer, type FileServer } from './contestants.js';
import { scriptOf } from './script.js';

const HELP = `npm run bench:files -- [options]
  --rounds N        of each server, for the medians (5)
  --seconds N       of each round (2)
  --connections N   (50)
  --results FOLDER  ${RESULTS_HELP}
`;
const PATH = '/page.js';
const SIZE = 3072;
/** Of each server, before the first round: until then, V8 has not compiled what a request needs. */
const WARM_UP_REQUESTS = 20_000;
const MAX_WARM_UPS = 30;
/** With its default settings: one log line for each request, and metrics. */
const OURS = 'gateway';
const NGINX = 'nginx';
/** Least requests per second of the gateway, as a share of each of these servers', for the plain file. */
const MARK: Readonly<Record<string, number>> = { sirv: 0.8, [NGINX]: 0.25 };

interface Workload {
  name: string;
  headersFor: (server: FileServer) => Promise<Record<string, string>>;
  isRight: (answer: Answer) => boolean;
}

interface Answer {
  status: number;
  etag: string | undefined;
  coding: string | undefined;
  bytes: number;
}

type Round = LoadResult & { cpuUs: number; residentMiB: number };

interface Cell {
  workload: string;
  server: string;
  /** How the file is sent. */
  answer: Answer;
  rounds: Round[];
}

const COMPRESSED = { 'Accept-Encoding': 'gzip, deflate, br' };
const WORKLOADS: readonly Workload[] = [
  {
    name: 'the plain file',
    headersFor: () => Promise.resolve({}),
    isRight: ({ status, bytes }) => status === 200 && bytes === SIZE,
  },
  {
    name: 'the file as a browser asks for it, compressed if the server can',
    headersFor: () => Promise.resolve(COMPRESSED),
    isRight: ({ status, bytes }) => status === 200 && bytes <= SIZE,
  },
  {
    name: 'the file again, which the client has: 304 where the server knows tags',
    async headersFor(server) {
      const { etag } = await ask(server, {});
      return etag === undefined ? {} : { 'If-None-Match': etag };
    },
    isRight: ({ status }) => status === 304 || status === 200,
  },
];

/**
 * `npm run bench:files`: a file of 3 kB from a published site, beside sirv on bare node:http, node:http alone and nginx.
 * @returns the exit code: 1 if an answer was wrong
 */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      connections: { type: 'string', default: '50' },
      results: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const startedAt = new Date();
  const cells = await measure(positive(values.rounds), {
    seconds: positive(values.seconds),
    connections: positive(values.connections),
    signal: untilInterrupted(),
  });
  const facts = await factsOf(startedAt, { nginx: await nginxVersion(), sirv: sirvVersion() });
  const markdown = render(`A file of ${SIZE} bytes, ${facts.startedAt}`, facts, cells);
  const report = { facts, cells };
  await keepReport(values.results, 'files', report, markdown);
  process.stdout.write(markdown);
  return cells.every(isSound) ? 0 : 1;
}

interface Loading {
  seconds: number;
  connections: number;
  signal: AbortSignal;
}

async function measure(rounds: number, loading: Loading): Promise<Cell[]> {
  const servers: FileServer[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-bench-'));
  const database = await startDatabase();
  try {
    const script = scriptOf(SIZE);
    const site = await writeSite(folder, script);
    const files = [
      { path: 'index.html', bytes: Buffer.from('<title>bench</title>') },
      { path: PATH.slice(1), bytes: script },
    ];
    servers.push(await startGatewayOfFiles(OURS, database, files, true));
    servers.push(await startGatewayOfFiles('gateway-without-log', database, files, false));
    servers.push(await startNodeServer('sirv', 'sirv.cjs', site));
    servers.push(await startNodeServer('bare-http', 'bare-file.cjs', site));
    if (process.env['NGINX_BINARY'] !== undefined) servers.push(await startNginxOfFiles(site));
    const cells: Cell[] = [];
    for (const workload of WORKLOADS) cells.push(...(await measureEach(workload, servers, rounds, loading)));
    return cells;
  } finally {
    for (const server of servers) await server.stop();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The servers take turns, A B C A B C …, after each has answered one request rightly and is warm. */
async function measureEach(
  { name, headersFor, isRight }: Workload,
  servers: readonly FileServer[],
  rounds: number,
  { seconds, connections, signal }: Loading,
): Promise<Cell[]> {
  const running = [];
  for (const server of servers) {
    const headers = { ...(await headersFor(server)), ...(server.host && { Host: server.host }) };
    const answer = await ask(server, headers);
    if (!isRight(answer)) throw new Error(`${server.name}, ${name}: ${JSON.stringify(answer)}`);
    const load = (duration: number) =>
      runLoad(
        {
          url: server.url,
          requests: [{ method: 'GET', path: PATH, pets: 0 }],
          headers,
          keys: { secrets: [] },
          connections,
          seconds: duration,
        },
        signal,
      );
    await warmUp(load);
    running.push({
      server,
      load,
      cell: { workload: name, server: server.name, answer, rounds: [] as Round[] },
    });
  }
  for (let turn = 1; turn <= rounds; turn += 1)
    for (const { server, load, cell } of running) {
      const before = usageOf(server.pid).cpuUs;
      const result = await load(seconds);
      const { cpuUs, residentMiB } = usageOf(server.pid);
      cell.rounds.push({ ...result, cpuUs: (cpuUs - before) / result.requests, residentMiB });
      process.stderr.write(
        `${name}, round ${turn}: ${server.name} ${result.requestsPerSecond.toFixed(0)} req/s\n`,
      );
    }
  return running.map(({ cell }) => cell);
}

async function warmUp(load: (seconds: number) => Promise<LoadResult>): Promise<void> {
  let answered = 0;
  for (let second = 0; second < MAX_WARM_UPS && answered < WARM_UP_REQUESTS; second += 1)
    answered += (await load(1)).requests;
}

function ask({ url, host }: FileServer, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url + PATH, { headers: { ...(host !== undefined && { Host: host }), ...headers }, agent: false })
      .on('error', reject)
      .on('response', (answer) => {
        let bytes = 0;
        answer.on('data', (chunk: Buffer) => (bytes += chunk.length));
        answer.on('end', () => {
          const { etag, 'content-encoding': coding } = answer.headers;
          resolve({ status: answer.statusCode ?? 0, etag, coding, bytes });
        });
      })
      .end();
  });
}

/** The folder that the other servers serve, with the compressed forms beside the file. */
async function writeSite(folder: string, script: Buffer): Promise<string> {
  const site = join(folder, 'site');
  await mkdir(site);
  const path = join(site, PATH);
  await writeFile(path, script);
  await writeFile(`${path}.gz`, gzipSync(script));
  await writeFile(`${path}.br`, brotliCompressSync(script));
  return site;
}

function isSound({ rounds }: Cell): boolean {
  return rounds.every(({ broken, refusals }) => broken === 0 && refusals === 0);
}

function render(title: string, facts: Parameters<typeof renderFacts>[1], cells: readonly Cell[]): string {
  const columns = ['', 'answer', 'req/s', '× sirv', '× nginx', 'server µs', 'p50 ms', 'p99 ms', 'RSS MiB'];
  const tables = WORKLOADS.flatMap(({ name }) => {
    const rows = cells.filter(({ workload }) => workload === name);
    return renderSection(
      name,
      columns,
      rows.map((cell) => [
        cell.server,
        `${cell.answer.status}, ${cell.answer.bytes} bytes ${cell.answer.coding ?? ''}`.trim(),
        ...(isSound(cell)
          ? [
              round(rateOf(cell), 0),
              round(ratioTo('sirv', cell, rows), 2),
              round(ratioTo(NGINX, cell, rows), 2),
              round(median(cell, 'cpuUs'), 1),
              round(median(cell, 'p50Ms'), 2),
              round(median(cell, 'p99Ms'), 2),
              round(median(cell, 'residentMiB'), 0),
            ]
          : ['void: requests failed', '', '', '', '', '', '']),
      ]),
    );
  });
  return [...renderFacts(title, facts), ...tables, ...renderMark(cells)].join('\n');
}

/** For the plain file: whether the gateway reached its share of the others' rates. */
function renderMark(cells: readonly Cell[]): string[] {
  const plain = cells.filter(({ workload }) => workload === WORKLOADS[0]?.name);
  const ours = plain.find(({ server }) => server === OURS);
  const rows = Object.entries(MARK).map(([name, share]) => {
    const ratio = ours && ratioTo(name, ours, plain);
    const verdict = ratio === undefined ? `not measured: ${name} is missing` : ratio >= share ? 'yes' : 'no';
    return [`${OURS}, × ${name}`, round(share, 2), round(ratio, 2), verdict];
  });
  return ['## The mark, for the plain file', '', ...renderRows(['', 'mark', 'now', 'reached'], rows)];
}

function ratioTo(name: string, cell: Cell, cells: readonly Cell[]): number | undefined {
  const other = cells.find(({ server }) => server === name);
  return other && isSound(other) ? rateOf(cell) / rateOf(other) : undefined;
}

function rateOf(cell: Cell): number {
  return median(cell, 'requestsPerSecond');
}

function median({ rounds }: Cell, column: keyof Round): number {
  return medianOf(rounds.map((each) => each[column]));
}

function sirvVersion(): string {
  const manifest = readFileSync(join(__dirname, '../../test/package.json'), 'utf8');
  return (JSON.parse(manifest) as { devDependencies: Record<string, string> }).devDependencies['sirv'] ?? '';
}

async function nginxVersion(): Promise<string> {
  const program = process.env['NGINX_BINARY'];
  if (program === undefined) return 'missing';
  const { output } = await runProgram(program, ['-v']);
  return /nginx\/(\S+)/.exec(output)?.[1] ?? 'unknown';
}
