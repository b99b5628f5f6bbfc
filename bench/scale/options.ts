import { parseArgs } from 'node:util';
import { RESULTS_HELP } from '../keep-report.js';
import { atLeast, positive, someOf } from '../options.js';
import { IDS, OPERATION_NAMES, PROBED_KEYS, type OperationName, type Size } from './sizes.js';

export interface ScaleOptions {
  /** Smallest first; all are compared with that one. */
  sizes: readonly Size[];
  operations: readonly OperationName[];
  connections: number;
  rounds: number;
  /** A round's. */
  seconds: number;
  /** Of the mongod that holds all sizes. */
  cacheGb: number;
  /** Where the results are kept, see `keepReport`. */
  results: string | undefined;
}

export const HELP = `npm run bench:scale -- [options]
  --pets LIST       in each database (10000,1000000,5000000)
  --keys LIST       in each, in the same order (1000,100000,1000000)
  --only LIST       of ${OPERATION_NAMES.join(', ')}
  --connections N   that ask at once (1: more share queries, and so hide what one takes)
  --rounds N        of each operation and size, for its medians (7)
  --seconds N       of each round (1)
  --cache-gb N      WiredTiger's cache for all sizes together (6)
  --results FOLDER  ${RESULTS_HELP}
`;

/** @throws Error fit to show to a person */
export function parseOptions(args: readonly string[]): ScaleOptions | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      pets: { type: 'string', default: '10000,1000000,5000000' },
      keys: { type: 'string', default: '1000,100000,1000000' },
      only: { type: 'string' },
      connections: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '7' },
      seconds: { type: 'string', default: '1' },
      'cache-gb': { type: 'string', default: '6' },
      results: { type: 'string' },
    },
  });
  if (values.help) return 'help';
  return {
    sizes: sizesOf(values.pets, values.keys),
    operations: someOf(OPERATION_NAMES, values.only),
    connections: positive(values.connections),
    rounds: positive(values.rounds),
    seconds: positive(values.seconds),
    cacheGb: positive(values['cache-gb']),
    results: values.results,
  };
}

function sizesOf(petsList: string, keysList: string): Size[] {
  const pets = petsList.split(',').map((text) => atLeast(IDS, positive(text)));
  const keys = keysList.split(',').map((text) => atLeast(PROBED_KEYS, positive(text)));
  if (pets.length !== keys.length) throw new Error('--pets and --keys: not equally many');
  return pets.map((count, i) => ({ pets: count, keys: keys[i] ?? 0 })).sort((a, b) => a.pets - b.pets);
}
