import { parseArgs } from 'node:util';
import { RESULTS_HELP } from './keep-report.js';
import { TARGET_NAMES, type TargetName } from './targets/targets.js';
import { IDS, WORKLOAD_NAMES, type WorkloadName } from './workloads.js';

export interface BenchOptions {
  plan: 'full' | 'quick' | 'many-keys' | 'against';
  /** The checkout of another commit, which the plan `against` compares with this one. */
  earlier: string | undefined;
  startup: boolean;
  workloads: readonly WorkloadName[];
  targets: readonly TargetName[];
  /** Undefined: what each comparison is planned for. */
  connections: readonly number[] | undefined;
  rounds: number;
  seconds: number;
  /** Requests of each target before its first table. */
  warmUp: number;
  pets: number;
  /** Where the results are kept, see `keepReport`. */
  results: string | undefined;
}

export const HELP = `npm run bench -- [options]
  --quick               the mark alone, at 1, 50 and 200 connections; about 20 minutes
  --many-keys           1 to 10,000 keys, new keys, and keys near their limit; about 8 minutes
  --against FOLDER      this checkout and that of another commit, built, in turn; about 10 minutes
  --startup             how long a start takes and the memory it needs, and nothing else; about a minute
  --only LIST           of ${WORKLOAD_NAMES.join(', ')}
  --targets LIST        of ${TARGET_NAMES.join(', ')}
  --connections LIST    of 1, 50, 200
  --rounds N            of each cell, for its medians (3)
  --seconds N           of each round (2; 1 with --quick, --many-keys or --against)
  --warm-up N           requests of each target before its first table (50000): fewer measure Node.js compiling
  --pets N              in each database before the first request (100000)
  --results FOLDER      ${RESULTS_HELP}
`;

/** @throws Error fit to show to a person */
export function parseOptions(args: readonly string[]): BenchOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      'many-keys': { type: 'boolean', default: false },
      against: { type: 'string' },
      startup: { type: 'boolean', default: false },
      only: { type: 'string' },
      targets: { type: 'string' },
      connections: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string' },
      'warm-up': { type: 'string', default: '50000' },
      pets: { type: 'string', default: '100000' },
      results: { type: 'string' },
    },
  });
  if (values.help) return 'help';
  const plan = planOf(values);
  const isPart = [values.only, values.targets, values.connections].some((part) => part !== undefined);
  return {
    plan,
    earlier: values.against,
    startup: values.startup,
    workloads: someOf(WORKLOAD_NAMES, values.only),
    targets: someOf(TARGET_NAMES, values.targets),
    connections: values.connections?.split(',').map(positive),
    rounds: positive(values.rounds),
    seconds: positive(values.seconds ?? (plan === 'full' ? '2' : '1')),
    warmUp: positive(values['warm-up']),
    pets: atLeast(IDS, positive(values.pets)),
    // A page of a part would replace that of the whole.
    results: values.results ?? (isPart || plan === 'against' ? '' : undefined),
  };
}

function planOf(values: { against?: string; quick: boolean; 'many-keys': boolean }): BenchOptions['plan'] {
  if (values.against !== undefined) return 'against';
  return values.quick ? 'quick' : values['many-keys'] ? 'many-keys' : 'full';
}

export function someOf<T extends string>(all: readonly T[], list: string | undefined): readonly T[] {
  if (list === undefined) return all;
  const wanted = list.split(',');
  const unknown = wanted.filter((name) => !(all as readonly string[]).includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: not one of ${all.join(', ')}`);
  return all.filter((name) => wanted.includes(name));
}

export function atLeast(minimum: number, value: number): number {
  if (value < minimum) throw new Error(`${value}: less than ${minimum}`);
  return value;
}

export function positive(text: string): number {
  if (!/^[1-9][0-9]*$/.test(text)) throw new Error(`${text}: not a whole number above 0`);
  return Number(text);
}
