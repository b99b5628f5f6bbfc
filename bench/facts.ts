import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import { mongodVersion } from '../src/platform/mongod/mongod-binary.js';
import { runProgram } from '../test/support/run-program.js';
import { testMongod } from '../test/support/mongod.js';
import { gatewayVersions, MERCURIUS, PARSE_SERVER, YOGA } from './targets/packages.js';

/** What a run was made with. */
export interface Facts {
  /** ISO 8601. */
  startedAt: string;
  tookSeconds: number;
  /** Of the sources, and whether they differ from it. */
  commit: string;
  versions: Readonly<Record<string, string>>;
  processors: number;
  processor: string;
}

/** To be asked when the run is over. */
export async function factsOf(
  startedAt: Date,
  otherVersions: Readonly<Record<string, string>> = {},
): Promise<Facts> {
  const tookSeconds = (Date.now() - startedAt.getTime()) / 1000;
  return {
    startedAt: startedAt.toISOString(),
    tookSeconds,
    commit: await commitOf(join(__dirname, '..')),
    versions: {
      Node: process.versions.node,
      MongoDB: await mongodVersion(await testMongod()),
      wrk: await versionIn('wrk', /wrk (\S+)/),
      ...gatewayVersions('express', '@apollo/server', 'mongoose', 'rate-limiter-flexible'),
      ...otherVersions,
    },
    processors: availableParallelism(),
    processor: cpus()[0]?.model ?? 'unknown',
  };
}

/** Of what only comparisons with other servers need. */
export async function versionsOfOthers(): Promise<Record<string, string>> {
  return {
    Redis: await versionIn('redis-server', /v=(\S+)/),
    'Parse Server': PARSE_SERVER,
    Mercurius: MERCURIUS,
    'GraphQL Yoga': YOGA,
  };
}

async function commitOf(folder: string): Promise<string> {
  const head = await runProgram('git', ['rev-parse', '--short', 'HEAD'], { cwd: folder });
  if (head.code !== 0) return 'unknown';
  const { output: changes } = await runProgram('git', ['status', '--porcelain', 'src'], { cwd: folder });
  return head.output.trim() + (changes === '' ? '' : ' with changes in src/');
}

/** What a program says of itself; wrk ends with 1 when it is only asked for that. */
async function versionIn(program: string, pattern: RegExp): Promise<string> {
  const { output } = await runProgram(program, ['-v']);
  return pattern.exec(output)?.[1] ?? 'unknown';
}
