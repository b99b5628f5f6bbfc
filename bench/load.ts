import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PetsRequest } from './workloads.js';

export interface Load {
  /** Of a server on this machine; anything else is refused. */
  url: string;
  /** Sent one after the other, over and over. */
  requests: readonly PetsRequest[];
  /** How many of them other loads have sent: this one goes on from there, and adds its own. */
  progress?: { sent: number };
  /** On every request. */
  headers: Readonly<Record<string, string>>;
  keys: Keys;
  connections: number;
  seconds: number;
}

/** API keys: drawn at random for each request, or taken in turn. None: no Authorization header. */
export interface Keys {
  secrets: readonly string[];
  /** In turn, each key for this many requests in a row. Undefined: at random. */
  requestsPerKey?: number;
}

export interface LoadResult {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers with a status of 400 or more. */
  refusals: number;
  /** Connections and answers that failed, or took longer than 10 s. */
  broken: number;
}

/** What is only slow shows in p99. */
const TIMEOUT_SECONDS = 10;
const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Runs wrk, one thread, keep-alive, each connection sending its next request when it has its answer. */
export async function runLoad(load: Load, signal: AbortSignal): Promise<LoadResult> {
  const { hostname, origin } = new URL(load.url);
  if (!LOOPBACK.includes(hostname)) throw new Error(`${hostname} is not this machine`);
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-bench-load-'));
  try {
    const plan = join(folder, 'plan.lua');
    await writeFile(plan, renderPlan(load));
    const options = [
      '--threads=1',
      `--connections=${load.connections}`,
      `--duration=${load.seconds}s`,
      `--timeout=${TIMEOUT_SECONDS}s`,
    ];
    const output = await runWrk([...options, '--script', join(__dirname, 'load.lua'), origin], plan, signal);
    const result = parseResult(output);
    // And those that were on their way at the end.
    if (load.progress !== undefined) load.progress.sent += result.requests + load.connections;
    return result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runWrk(args: readonly string[], plan: string, signal: AbortSignal): Promise<string> {
  const child = spawn('wrk', args, {
    env: { ...process.env, BENCH_LOAD_PLAN: plan },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  await once(child, 'close');
  return output;
}

function parseResult(output: string): LoadResult {
  const json = /^RESULT (.*)$/m.exec(output)?.[1];
  if (json === undefined) throw new Error(`wrk printed no result:\n${output}`);
  const result = JSON.parse(json) as {
    requests: number;
    durationUs: number;
    status4xx5xx: number;
    broken: number;
    p50Us: number;
    p99Us: number;
  };
  return {
    requests: result.requests,
    requestsPerSecond: result.requests / (result.durationUs / 1e6),
    p50Ms: result.p50Us / 1000,
    p99Ms: result.p99Us / 1000,
    refusals: result.status4xx5xx,
    broken: result.broken,
  };
}

/** A Lua file that returns the plan which load.lua describes. */
function renderPlan({ url, requests, progress, headers, keys }: Load): string {
  const common = Object.entries({ Host: new URL(url).host, ...headers });
  const heads = requests.map(({ method, path }) =>
    [`${method} ${path} HTTP/1.1`, ...common.map(([name, value]) => `${name}: ${value}`), ''].join('\r\n'),
  );
  const tails = requests.map(({ json }) =>
    json === undefined
      ? '\r\n'
      : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
  const authorizations =
    keys.secrets.length === 0 ? [''] : keys.secrets.map((secret) => `Authorization: Bearer ${secret}\r\n`);
  const table = (strings: readonly string[]) => `{${strings.map(luaString).join(',\n')}}`;
  return `return {
heads = ${table(heads)},
tails = ${table(tails)},
first = ${(progress?.sent ?? 0) % requests.length},
authorizations = ${table(authorizations)},
requestsPerKey = ${keys.requestsPerKey ?? 'nil'},
}\n`;
}

/** JSON's escapes of visible ASCII and line ends are Lua's as well. */
function luaString(text: string): string {
  if (!/^[\x20-\x7e\r\n]*$/.test(text)) throw new Error(`not ASCII: ${text}`);
  return JSON.stringify(text);
}
