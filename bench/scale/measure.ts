import { runLoad, type Load, type LoadResult } from '../load.js';
import { usageOf } from '../process-usage.js';
import type { BenchDatabase } from '../targets/database.js';
import { measureExamined, type Examined } from './examined.js';
import { operationTime } from './operation-time.js';
import type { OperationName, Size } from './sizes.js';
import type { SizedGateway } from './sized-gateway.js';

/** What one round at one size showed. */
export interface ScaleRound extends LoadResult {
  /** MongoDB's own time for one operation on the collection, microseconds. */
  operationUs: number;
  /** Processor time of the gateway and of mongod, in all, microseconds. */
  serverCpuUs: number;
  mongodCpuUs: number;
}

/** The rounds of one operation at one size. */
export interface MeasuredSize {
  operation: OperationName;
  size: Size;
  examined: Examined;
  rounds: readonly ScaleRound[];
}

export interface ScaleMeasuring {
  database: BenchDatabase;
  /** Smallest first. */
  gateways: readonly SizedGateway[];
  connections: number;
  rounds: number;
  seconds: number;
  progress: (line: string) => void;
  signal: AbortSignal;
}

/** So that V8 has compiled what is measured, and the cache holds what is read. */
const WARM_UP = { seconds: 2, connections: 10 };

/**
 * One operation at all sizes in turn, A B C A B C …, so that a disturbance meets them all.
 * @throws Error when an answer is wrong or requests of the load fail
 */
export async function measureOperation(
  operation: OperationName,
  measuring: ScaleMeasuring,
): Promise<MeasuredSize[]> {
  const { gateways, connections, rounds, seconds, progress, signal } = measuring;
  const measured = [];
  for (const gateway of gateways) {
    const examined = await measureExamined(gateway, operation);
    measured.push({ gateway, examined, rounds: [] as ScaleRound[] });
  }
  const sent = new Map(gateways.map((gateway) => [gateway, { sent: 0 }]));
  const loadOf = (gateway: SizedGateway, extent: Pick<Load, 'seconds' | 'connections'>): Load => {
    const { requests, keys } = gateway.operations[operation];
    const before = sent.get(gateway) ?? { sent: 0 };
    return { url: gateway.url, requests, keys, progress: before, headers: {}, ...extent };
  };
  for (const gateway of gateways) await runLoad(loadOf(gateway, WARM_UP), signal);
  for (let round = 1; round <= rounds; round += 1) {
    const p50s = [];
    for (const { gateway, rounds: done } of measured) {
      const result = await runRound(gateway, operation, loadOf(gateway, { seconds, connections }), measuring);
      done.push(result);
      p50s.push(result.p50Ms.toFixed(2));
    }
    progress(`${operation}, round ${round}: p50 ${p50s.join(', ')} ms`);
  }
  return measured.map(({ gateway, examined, rounds: done }) => ({
    ...{ operation, examined, rounds: done },
    size: gateway.database.size,
  }));
}

async function runRound(
  gateway: SizedGateway,
  name: OperationName,
  load: Load,
  { database, signal }: ScaleMeasuring,
): Promise<ScaleRound> {
  const operation = gateway.operations[name];
  const { connection } = gateway.database;
  const timeBefore = await operationTime(connection, operation);
  const serverBefore = usageOf(gateway.pid).cpuUs;
  const mongodBefore = usageOf(database.pid).cpuUs;
  const result = await runLoad(load, signal);
  const serverCpuUs = usageOf(gateway.pid).cpuUs - serverBefore;
  const mongodCpuUs = usageOf(database.pid).cpuUs - mongodBefore;
  const time = await operationTime(connection, operation);
  if (result.refusals + result.broken > 0)
    throw new Error(`${result.refusals} requests were refused, ${result.broken} failed or took over 10 s`);
  return {
    ...result,
    operationUs: (time.us - timeBefore.us) / (time.operations - timeBefore.operations),
    serverCpuUs,
    mongodCpuUs,
  };
}
