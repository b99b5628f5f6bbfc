import { factsOf } from '../facts.js';
import { keepReport } from '../keep-report.js';
import { usageOf } from '../process-usage.js';
import { startDatabase } from '../targets/database.js';
import { untilInterrupted } from '../until-interrupted.js';
import { cacheUsedMiB, fillDatabase, type FilledDatabase } from './filled-database.js';
import { measureOperation, type ScaleMeasuring } from './measure.js';
import { HELP, parseOptions, type ScaleOptions } from './options.js';
import { renderReport, type ScaleReport } from './report.js';
import { startSizedGateway, type SizedGateway } from './sized-gateway.js';
import { flatnessOf, summarise, type ScaleCell } from './summary.js';

const progress = (line: string) => process.stderr.write(`${line}\n`);

/** `npm run bench:scale`: whether what the gateway does takes as long over many as over few. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const interruption = untilInterrupted();
  try {
    const startedAt = new Date();
    const measured = await measureScale(options, interruption);
    const { rounds, seconds, connections, cacheGb } = options;
    const facts = { ...(await factsOf(startedAt)), rounds, seconds, connections, cacheGb };
    const report = { facts, ...measured };
    const markdown = renderReport(report);
    await keepReport(options.results, 'scale', report, markdown);
    process.stdout.write(markdown);
    const isFlat = report.flatness.every(({ examinesAsMuch }) => examinesAsMuch);
    return isFlat && report.failures.length === 0 ? 0 : 1;
  } catch (error) {
    progress(String(interruption.aborted ? interruption.reason : error));
    return 1;
  }
}

async function measureScale(options: ScaleOptions, signal: AbortSignal): Promise<Omit<ScaleReport, 'facts'>> {
  const database = await startDatabase({ cacheGb: options.cacheGb });
  const filled: FilledDatabase[] = [];
  const gateways: SizedGateway[] = [];
  try {
    for (const size of options.sizes) {
      progress(`filling a database with ${size.pets} pets and ${size.keys} keys`);
      filled.push(await fillDatabase(database, size, signal));
    }
    // Only now: the change stream of one would hear of all that is filled in.
    for (const each of filled) gateways.push(await startSizedGateway(each));
    const { tables, failures } = await measureEach({ ...options, database, gateways, progress, signal });
    return {
      tables,
      failures,
      flatness: tables.flatMap((cells) => flatnessOf(cells)),
      cacheUsedMiB: await cacheUsedMiB(filled),
      sizes: gateways.map(({ database: { size, filling }, pid }) => ({
        ...size,
        ...filling,
        residentMiB: usageOf(pid).residentMiB,
      })),
    };
  } finally {
    for (const gateway of gateways.reverse()) await gateway.stop();
    for (const { connection } of filled) await connection.close();
    await database.close();
  }
}

/** Each operation at all sizes; one that fails is no reason to lose the others. */
async function measureEach({
  operations,
  ...measuring
}: ScaleMeasuring & Pick<ScaleOptions, 'operations'>): Promise<Pick<ScaleReport, 'tables' | 'failures'>> {
  const tables: ScaleCell[][] = [];
  const failures: string[] = [];
  for (const operation of operations)
    try {
      tables.push(summarise(await measureOperation(operation, measuring)));
    } catch (error) {
      measuring.signal.throwIfAborted();
      failures.push(`${operation}: ${String(error)}`);
    }
  return { tables, failures };
}
