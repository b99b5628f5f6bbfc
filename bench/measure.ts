import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Comparison } from './comparisons.js';
import type { Contestant } from './contestants.js';
import { runLoad, type Load, type LoadResult } from './load.js';
import { usageOf } from './process-usage.js';
import type { BenchDatabase } from './targets/database.js';
import type { Target, TargetName } from './targets/targets.js';
import type { PetsRequest, Workload, WorkloadName } from './workloads.js';

/** What one round of one contestant showed. */
export interface Round extends LoadResult {
  /** Processor time per request, microseconds. */
  serverCpuUs: number;
  mongodCpuUs: number;
  /** Of a target that counts in Redis. */
  redisCpuUs?: number;
  /** Operations asked of MongoDB per request, without those that are asked when there are no requests. */
  mongodOperations: number;
  /** Of the server, when the round was over. */
  residentMiB: number;
}

/** A contestant's rounds in one comparison. */
export interface Measured extends Contestant {
  workload: WorkloadName;
  connections: number;
  rounds: readonly Round[];
  /** Why the numbers mean nothing; undefined: they do. */
  fault?: string;
}

export interface Measuring {
  database: BenchDatabase;
  targets: ReadonlyMap<TargetName, Target>;
  /** The targets that an earlier comparison has warmed up; `measure` adds its own. */
  warm: Set<TargetName>;
  workloads: Readonly<Record<WorkloadName, Workload>>;
  rounds: number;
  seconds: number;
  /** Requests of each target before its first comparison, if they come soon. */
  warmUp: number;
  /** What heartbeats, change streams and the bench itself ask of MongoDB. */
  idleOperationsPerSecond: number;
  progress: (line: string) => void;
  signal: AbortSignal;
}

interface WarmUp {
  /** Of each target, so that a slow one has as much of its code compiled as a fast one. */
  requests: number;
  /** For those that the first second lacks. */
  maxMoreSeconds: number;
}
const WARM_UP_SECONDS = 1;
/**
 * Before a target's first comparison, at most. V8 compiles the gateway's code during its first 50,000 requests, in which the
 * processor time of one halves. The bare servers have so little code that the time for theirs is ample.
 */
const FIRST_WARM_UP_SECONDS = 20;
const LATER_WARM_UP: WarmUp = { requests: 10_000, maxMoreSeconds: 5 };
/**
 * Before each round, and not measured. A server has waited for the others for up to a minute by then, and its first second
 * took up to twice the processor time.
 */
const LEAD_IN_SECONDS = 1;
/** Warm-ups of a second without an answer: the machine is busy with something else. */
const MAX_SILENT = 20;
const IDLE_SECONDS = 2;
const ANSWER_TIMEOUT_MS = 10_000;

/** Measures the contestants of one comparison in turn, A B C A B C …, after each has answered one request rightly. */
export async function measure(comparison: Comparison, measuring: Measuring): Promise<Measured[]> {
  const { workload, connections, contestants } = comparison;
  const { rounds, seconds, warm, progress, signal } = measuring;
  const useOf = ({ target }: Contestant) => contestants.filter((other) => other.target === target).length;
  const most = Math.max(...contestants.map(useOf));
  const running = await Promise.all(
    contestants.map(async (contestant) => ({
      contestant,
      ...(await prepare(comparison, contestant, measuring)),
      // A target is warmed up as long as the others, however many contestants use it. wrk takes whole seconds.
      warmUp: {
        seconds: Math.ceil((WARM_UP_SECONDS * most) / useOf(contestant)),
        ofTarget: warm.has(contestant.target)
          ? LATER_WARM_UP
          : { requests: measuring.warmUp, maxMoreSeconds: FIRST_WARM_UP_SECONDS },
        share: 1 / useOf(contestant),
      },
      rounds: [] as Round[],
    })),
  );
  assertEqual(running);
  for (const { load, warmUp } of running) await warmUpBy(load, warmUp, signal);
  for (const { target } of contestants) warm.add(target);
  for (let round = 1; round <= rounds; round += 1)
    for (const { contestant, target, load, rounds: done } of running) {
      await runLoad(await load(LEAD_IN_SECONDS), signal);
      const result = await runRound(target, await load(seconds), measuring);
      done.push(result);
      const rate = result.requestsPerSecond.toFixed(0);
      progress(`${workload} × ${connections}, round ${round}: ${nameOf(contestant)} ${rate} req/s`);
    }
  return running.map(({ contestant, rounds: done }) => {
    const fault = faultOf(contestant, done);
    return { ...contestant, workload, connections, rounds: done, ...(fault !== undefined && { fault }) };
  });
}

/** At least that long, that many requests if they come soon, and until each key that is drawn at random has been used. */
async function warmUpBy(
  loadFor: (seconds: number) => Promise<Load>,
  { seconds, ofTarget, share }: { seconds: number; ofTarget: WarmUp; share: number },
  signal: AbortSignal,
): Promise<void> {
  const load = await loadFor(seconds);
  const { secrets, requestsPerKey } = load.keys;
  const first = await runLoad(load, signal);
  const missing = ofTarget.requests * share - first.requests;
  const more = Math.min(
    Math.ceil(missing / Math.max(1, first.requestsPerSecond)),
    Math.ceil(ofTarget.maxMoreSeconds * share),
  );
  if (more > 0) await runLoad(await loadFor(more), signal);
  if (requestsPerKey !== undefined || secrets.length <= 1) return;
  let silent = 0;
  for (let used = 0; used < secrets.length;) {
    const keys = { secrets: [...secrets.slice(used), ...secrets.slice(0, used)], requestsPerKey: 1 };
    const { requests } = await runLoad({ ...load, seconds: 1, keys }, signal);
    if (requests === 0 && (silent += 1) > MAX_SILENT) throw new Error(`${silent} loads had no answer`);
    used += requests;
  }
}

/** To be known before anything is measured, with everything running. */
export async function measureIdleOperations(database: BenchDatabase, signal: AbortSignal): Promise<number> {
  const before = await database.operations();
  await sleep(IDLE_SECONDS * 1000, undefined, { signal });
  return ((await database.operations()) - before) / IDLE_SECONDS;
}

/** As people read it: `gateway (pro)`. */
export function nameOf({ target, keys, asked }: Contestant): string {
  const name = keys === 'none' ? target : `${target} (${keys})`;
  return asked === undefined ? name : `${name}: ${asked}`;
}

/** The contestant's target and its load, proven by one request. @throws Error when the answer is not as it should be */
async function prepare(
  { workload, connections }: Comparison,
  { target: name, keys, asked = workload }: Contestant,
  { targets, workloads }: Measuring,
) {
  const target = targets.get(name);
  if (target === undefined) throw new Error(`${name} is not running`);
  const requests = requestsFor(target, workloads[asked]);
  const { url, headers } = target;
  const progress = { sent: 0 };
  const load = async (seconds: number): Promise<Load> => ({
    ...{ url, headers, requests, progress, connections, seconds },
    keys: await target.keys(keys, seconds),
  });
  const [request] = requests;
  if (request === undefined) throw new Error(`${asked} has no requests`);
  const probe = await load(1);
  // The first request uses the key up, should nothing have done so before.
  if (keys === 'used-up') await ask(probe, request);
  const pets = target.isEmpty === true ? 0 : request.pets;
  const answer = await assertRight(
    await ask(probe, request),
    { ...request, pets },
    { refused: keys === 'used-up' },
  );
  return { target, load, request, answer };
}

/** A GraphQL query decides what its data look like. @throws Error unless all that had the same query have the same data */
function assertEqual(
  asked: readonly { contestant: Contestant; request: PetsRequest; answer: string }[],
): void {
  const dataOf = (answer: string) => (JSON.parse(answer) as { data: unknown }).data;
  const queries = asked.filter(({ request: { json = '' } }) => json.startsWith('{"query":"{'));
  for (const { contestant, request, answer } of queries) {
    const first = queries.find((other) => other.request === request);
    if (first === undefined || isDeepStrictEqual(dataOf(answer), dataOf(first.answer))) continue;
    const names = `${nameOf(contestant)} and ${nameOf(first.contestant)}`;
    throw new Error(`${names} answer differently: ${answer.slice(0, 300)} ${first.answer.slice(0, 300)}`);
  }
}

function requestsFor({ dialects }: Target, workload: Workload): readonly PetsRequest[] {
  const [requests] = dialects.flatMap((dialect) =>
    workload[dialect] === undefined ? [] : [workload[dialect]],
  );
  if (requests === undefined) throw new Error(`the workload is in none of ${dialects.join(', ')}`);
  return requests;
}

/** One request by the load's first key. */
export function ask({ url, headers, keys }: Load, { method, path, json }: PetsRequest): Promise<Response> {
  const [secret] = keys.secrets;
  return fetch(url + path, {
    method,
    headers: {
      ...headers,
      ...(secret !== undefined && { Authorization: `Bearer ${secret}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(json !== undefined && { body: json }),
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  });
}

/** @returns its body */
async function assertRight(
  answer: Response,
  { path, pets }: PetsRequest,
  { refused }: { refused: boolean },
): Promise<string> {
  const text = await answer.text();
  const held = text.match(/"categoryId":/g)?.length ?? 0;
  const isRight = refused ? answer.status === 429 : answer.ok && held === pets && !text.includes('"errors"');
  if (isRight) return text;
  const expected = refused ? 'a refusal' : `${pets} pets`;
  throw new Error(`${answer.url} (${path}): not ${expected} but ${answer.status} ${text.slice(0, 300)}`);
}

async function runRound(
  target: Target,
  load: Load,
  { database, idleOperationsPerSecond, signal }: Measuring,
): Promise<Round> {
  const cpu = () => ({
    server: usageOf(target.pid).cpuUs,
    mongod: usageOf(database.pid).cpuUs,
    redis: target.redisPid === undefined ? undefined : usageOf(target.redisPid).cpuUs,
  });
  const operationsBefore = await database.operations();
  const before = cpu();
  const result = await runLoad(load, signal);
  const after = cpu();
  const operations = (await database.operations()) - operationsBefore;
  return {
    ...result,
    serverCpuUs: (after.server - before.server) / result.requests,
    mongodCpuUs: (after.mongod - before.mongod) / result.requests,
    ...(before.redis !== undefined &&
      after.redis !== undefined && { redisCpuUs: (after.redis - before.redis) / result.requests }),
    mongodOperations: Math.max(0, operations - idleOperationsPerSecond * load.seconds) / result.requests,
    residentMiB: usageOf(target.pid).residentMiB,
  };
}

/** wrk counts statuses from 400 on: a load is either refused as a whole or not at all. */
export function faultOf({ keys }: Pick<Contestant, 'keys'>, rounds: readonly Round[]): string | undefined {
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0);
  const broken = sum((round) => round.broken);
  if (broken > 0) return `${broken} requests failed or took longer than 10 s`;
  const unanswered = rounds.filter(({ requests }) => requests === 0).length;
  if (unanswered > 0) return `${unanswered} of ${rounds.length} rounds had no answer`;
  const unexpected = sum(({ requests, refusals }) => (keys === 'used-up' ? requests - refusals : refusals));
  if (unexpected === 0) return undefined;
  return keys === 'used-up'
    ? `${unexpected} requests were not refused`
    : `${unexpected} requests were refused`;
}
