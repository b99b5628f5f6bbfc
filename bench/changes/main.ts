import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { factsOf } from '../facts.js';
import { keepReport, RESULTS_HELP } from '../keep-report.js';
import { renderFacts, renderRows, round } from '../markdown.js';
import { positive } from '../options.js';
import { medianOf } from '../summary.js';
import { startDatabase } from '../targets/database.js';
import { untilInterrupted } from '../until-interrupted.js';
import { startCheckout, type MeasuredCheckout, type Shown } from './one-checkout.js';

const HELP = `npm run bench:changes -- [options]
  --keys N          in use (20000)
  --changes N       keys that appear in the database at once (1000)
  --cold N          first requests of new keys under load, in each round (200)
  --rounds N        of each checkout, for the medians (3)
  --against FOLDER  this checkout and that of another commit, built, in turn
  --results FOLDER  ${RESULTS_HELP}
`;
const CHECKOUT = join(__dirname, '../..');

/** `npm run bench:changes`: what changes of keys cost a gateway with many keys in use. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      keys: { type: 'string', default: '20000' },
      changes: { type: 'string', default: '1000' },
      cold: { type: 'string', default: '200' },
      rounds: { type: 'string', default: '3' },
      against: { type: 'string' },
      results: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const startedAt = new Date();
  const settings = {
    inUse: positive(values.keys),
    changes: positive(values.changes),
    coldKeys: positive(values.cold),
    rounds: positive(values.rounds),
    signal: untilInterrupted(),
  };
  const checkouts = {
    ...(values.against !== undefined && { earlier: resolve(values.against) }),
    gateway: CHECKOUT,
  };
  const shown = await measure(checkouts, settings);
  const facts = await factsOf(startedAt);
  const markdown = [
    ...renderFacts(`Changes of keys, ${facts.startedAt}`, facts),
    `${settings.inUse} keys in use; ${settings.changes} keys appear in the database at once. Medians of ${settings.rounds} rounds.`,
    '',
    ...renderRows(
      ['', ...shown.map(([name]) => name)],
      ROWS.map(([label, of, digits]) => [label, ...shown.map(([, each]) => round(of(each), digits))]),
    ),
  ].join('\n');
  const report = { facts, shown };
  await keepReport(
    values.results ?? (values.against === undefined ? undefined : ''),
    'changes',
    report,
    markdown,
  );
  process.stdout.write(markdown);
  return 0;
}

const ROWS: readonly [label: string, of: (shown: Shown) => number, digits: number][] = [
  ['processor time of the gateway for the changes, ms', ({ changesCpuMs }) => medianOf(changesCpuMs), 0],
  ['longest response time of a key in use meanwhile, ms', ({ longestMs }) => medianOf(longestMs), 0],
  ['the same without changes, ms', ({ longestAtRestMs }) => medianOf(longestAtRestMs), 0],
  [
    'processor time of the process for the last uses of all keys, each used once in a minute, ms',
    ({ usesCpuMs }) => medianOf(usesCpuMs),
    0,
  ],
  ['processor time of MongoDB for them, ms', ({ usesMongodCpuMs }) => medianOf(usesMongodCpuMs), 0],
  [
    'memory of the gateway without garbage, above that before the keys were used, MiB',
    ({ memoryMiB }) => memoryMiB,
    0,
  ],
  ['first request of a new key under load, p50 ms', ({ coldMs }) => quantile(coldMs, 0.5), 1],
  ['first request of a new key under load, p99 ms', ({ coldMs }) => quantile(coldMs, 0.99), 1],
  ['a key in use in turn with it, p50 ms', ({ warmMs }) => quantile(warmMs, 0.5), 1],
  ['a key in use in turn with it, p99 ms', ({ warmMs }) => quantile(warmMs, 0.99), 1],
  [
    'p99 of a new key, × that of a key in use',
    ({ coldMs, warmMs }) => quantile(coldMs, 0.99) / quantile(warmMs, 0.99),
    1,
  ],
];

async function measure(
  checkouts: Readonly<Record<string, string>>,
  settings: Parameters<typeof startCheckout>[3],
): Promise<[string, Shown][]> {
  const database = await startDatabase();
  const running: [string, MeasuredCheckout][] = [];
  try {
    for (const [name, checkout] of Object.entries(checkouts))
      running.push([name, await startCheckout(name, checkout, database, settings)]);
    for (const [name, { begin }] of running) {
      process.stderr.write(`${name}: ${settings.inUse} keys are used\n`);
      await begin();
    }
    for (let i = 1; i <= settings.rounds; i += 1)
      for (const [name, { round: measureRound, shown }] of running) {
        await measureRound();
        const [cpuMs, longestMs] = [shown.changesCpuMs.at(-1), shown.longestMs.at(-1)];
        process.stderr.write(
          `${name}, round ${i}: ${round(cpuMs, 0)} ms, longest ${round(longestMs, 0)} ms\n`,
        );
      }
    return running.map(([name, { shown }]) => [name, shown]);
  } finally {
    for (const [, { close }] of running) await close();
    await database.close();
  }
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? NaN;
}
