import { planComparisons, type Comparison } from './comparisons.js';
import { factsOf, versionsOfOthers } from './facts.js';
import { keepReport } from './keep-report.js';
import { judge, judgeStartup } from './mark.js';
import { measure, measureIdleOperations, type Measuring } from './measure.js';
import { HELP, parseOptions, type BenchOptions } from './options.js';
import { renderReport, type Report } from './report.js';
import { untilInterrupted } from './until-interrupted.js';
import { measureStartup } from './startup.js';
import { summarise, type Cell } from './summary.js';
import { startDatabase, type BenchDatabase } from './targets/database.js';
import { createWorkloads } from './workloads.js';
import { START, type Target, type TargetName } from './targets/targets.js';

const progress = (line: string) => process.stderr.write(`${line}\n`);

/** `npm run bench`: starts all that is compared, measures, prints and keeps the report. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const interruption = untilInterrupted();
  try {
    const startedAt = new Date();
    const measured = await (options.startup
      ? startup(options, interruption)
      : compare(options, interruption));
    const { rounds, seconds, pets } = options;
    const facts = { ...(await factsOf(startedAt, await versionsOfOthers())), rounds, seconds, pets };
    const report = { facts, ...measured };
    const markdown = renderReport(report);
    await keepReport(options.results, options.startup ? 'startup' : options.plan, report, markdown);
    process.stdout.write(markdown);
    const isVoid = report.tables.flat().some(({ fault }) => fault !== undefined);
    return isVoid || report.failures.length > 0 ? 1 : 0;
  } catch (error) {
    progress(String(interruption.aborted ? interruption.reason : error));
    return 1;
  }
}

type Measurements = Omit<Report, 'facts'>;

async function startup({ rounds }: BenchOptions, signal: AbortSignal): Promise<Measurements> {
  const startup = await measureStartup({ rounds, progress, signal });
  return { tables: [], failures: [], mark: judgeStartup(startup), startup };
}

async function compare(options: BenchOptions, signal: AbortSignal): Promise<Measurements> {
  const comparisons = planComparisons(options);
  const database = await startDatabase();
  const targets = new Map<TargetName, Target>();
  try {
    await startTargets(comparisons, {
      database,
      pets: options.pets,
      checkout: options.earlier,
      targets,
      signal,
    });
    const { rounds, seconds, warmUp } = options;
    const measuring: Measuring = {
      database,
      targets,
      warm: new Set(),
      workloads: createWorkloads(options.pets),
      rounds,
      seconds,
      warmUp,
      idleOperationsPerSecond: await measureIdleOperations(database, signal),
      progress,
      signal,
    };
    const tables: Cell[][] = [];
    const failures: string[] = [];
    for (const comparison of comparisons)
      try {
        const measured = await measure(comparison, measuring);
        tables.push(measured.map(summarise));
      } catch (error) {
        // One that cannot be made is no reason to lose the others.
        signal.throwIfAborted();
        failures.push(`${comparison.workload} × ${comparison.connections}: ${String(error)}`);
      }
    return { tables, failures, mark: judge(tables) };
  } finally {
    for (const target of [...targets.values()].reverse()) await target.stop();
    await database.close();
  }
}

interface StartTargets {
  database: BenchDatabase;
  pets: number;
  checkout: string | undefined;
  /** Filled one by one, so that what was started before a failure can be ended. */
  targets: Map<TargetName, Target>;
  signal: AbortSignal;
}

async function startTargets(
  comparisons: readonly Comparison[],
  { targets, signal, ...settings }: StartTargets,
): Promise<void> {
  for (const { target: name } of comparisons.flatMap(({ contestants }) => contestants)) {
    if (targets.has(name)) continue;
    signal.throwIfAborted();
    progress(`starting ${name}`);
    targets.set(name, await START[name](settings));
  }
}
