import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { planComparisons, type Comparison } from './comparisons.js';
import { judge } from './mark.js';
import { measure, measureIdleOperations, type Measuring } from './measure.js';
import { HELP, parseOptions, type BenchOptions } from './options.js';
import { renderReport, type Report, type RunFacts } from './report.js';
import { summarise, type Cell } from './summary.js';
import { startDatabase } from './targets/database.js';
import { gatewayVersions, PARSE_SERVER } from './targets/packages.js';
import { START, type Target, type TargetName } from './targets/targets.js';

const ROOT = join(__dirname, '..');
const progress = (line: string) => process.stderr.write(`${line}\n`);

/** `npm run bench`: starts all that is compared, measures, prints and keeps the report. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (options === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => interruption.abort(new Error(`ended by ${signal}`)));
  try {
    const report = await run(options, planComparisons(options), interruption.signal);
    const markdown = renderReport(report);
    if (options.results !== undefined) await keep(options.results, report, markdown);
    process.stdout.write(markdown);
    return report.tables.flat().some(({ fault }) => fault !== undefined) ? 1 : 0;
  } catch (error) {
    progress(interruption.signal.aborted ? String(interruption.signal.reason) : String(error));
    return 1;
  }
}

async function run(
  options: BenchOptions,
  comparisons: readonly Comparison[],
  signal: AbortSignal,
): Promise<Report> {
  const startedAt = new Date();
  const database = await startDatabase();
  const targets = new Map<TargetName, Target>();
  try {
    const needed = new Set(comparisons.flatMap(({ contestants }) => contestants.map(({ target }) => target)));
    for (const name of needed) {
      signal.throwIfAborted();
      progress(`starting ${name}`);
      targets.set(name, await START[name]({ database, pets: options.pets }));
    }
    const { rounds, seconds, pets } = options;
    const idleOperationsPerSecond = await measureIdleOperations(database, signal);
    const measuring: Measuring = {
      ...{ database, targets, rounds, seconds, idleOperationsPerSecond, progress, signal },
    };
    const tables: Cell[][] = [];
    for (const comparison of comparisons) {
      tables.push((await measure(comparison, measuring)).map(summarise));
    }
    const facts: RunFacts = {
      startedAt: startedAt.toISOString(),
      tookSeconds: (Date.now() - startedAt.getTime()) / 1000,
      commit: commit(),
      versions: {
        Node: process.versions.node,
        MongoDB: database.version,
        'Parse Server': PARSE_SERVER,
        ...gatewayVersions('express', '@apollo/server', 'mongoose', 'rate-limiter-flexible'),
      },
      processors: availableParallelism(),
      ...{ rounds, seconds, pets },
    };
    return { facts, tables, mark: judge(tables.flat()) };
  } finally {
    for (const target of [...targets.values()].reverse()) await target.stop();
    await database.close();
  }
}

async function keep(folder: string, report: Report, markdown: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const name = report.facts.startedAt.slice(0, 16).replace(':', '');
  await writeFile(join(folder, `${name}.json`), `${JSON.stringify(report, undefined, 1)}\n`);
  await writeFile(join(folder, `${name}.md`), markdown);
  progress(`kept as ${join(folder, name)}.json and .md`);
}

/** The commit of the sources, and whether they differ from it. */
function commit(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
    return (
      git('rev-parse', '--short', 'HEAD') +
      (git('status', '--porcelain', 'src') === '' ? '' : ' with changes in src/')
    );
  } catch {
    return 'unknown';
  }
}
