import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { startRedisServer } from '../../test/support/redis-server.js';
import { factsOf } from '../facts.js';
import { keepReport, RESULTS_HELP } from '../keep-report.js';
import { renderFacts, renderSection, round } from '../markdown.js';
import { positive } from '../options.js';
import { ownUsageOf } from '../process-usage.js';
import { medianOf } from '../summary.js';
import { startDatabase } from '../targets/database.js';
import { untilInterrupted } from '../until-interrupted.js';

const HELP = `npm run bench:limiter -- [options]
  --against FOLDER      compare with the checkout of another commit, built
  --keys N              charged by turns (1000)
  --at-once N           decisions in progress (50)
  --rounds N            of each limiter, by turns, for the medians (5)
  --seconds N           of each round (3)
  --results FOLDER      ${RESULTS_HELP}
`;
const ROOT = join(__dirname, '../..');
const WARM_UP_SECONDS = 2;

interface Contestant {
  name: string;
  child: ChildProcess;
  storePid: number;
}

interface Round {
  perSecond: number;
  gatewayUs: number;
  storeUs: number;
}

interface Comparison {
  title: string;
  contestants: { name: string; rounds: Round[] }[];
}

interface Measuring {
  rounds: number;
  seconds: number;
  signal: AbortSignal;
}

/**
 * `npm run bench:limiter`: decisions of the limiter alone, without a request around them. The limiters of a table take
 * turns. On a machine that does other things too, only the processor times mean something. @returns the exit code
 */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      against: { type: 'string' },
      keys: { type: 'string', default: '1000' },
      'at-once': { type: 'string', default: '50' },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      results: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const startedAt = new Date();
  const atOnce = positive(values['at-once']);
  const keys = positive(values.keys);
  const measuring = {
    rounds: positive(values.rounds),
    seconds: positive(values.seconds),
    signal: untilInterrupted(),
  };
  const roots = [ROOT, ...(values.against === undefined ? [] : [resolve(values.against)])];
  const redis = await startRedisServer();
  const database = await startDatabase();
  try {
    const open = (kind: string, count: number) =>
      roots.map((root, i) => {
        const uri = kind === 'redis' ? `${redis.url}/${i + 1}` : database.uriOf(`limiter-${i}`);
        const storePid = kind === 'redis' ? redis.pid : database.pid;
        return start(i === 0 ? 'this checkout' : 'the other one', storePid, {
          kind,
          root,
          uri,
          keys: count,
          atOnce,
        });
      });
    const comparisons = [
      await compare(`Redis, ${keys} keys`, measuring, [
        ...open('redis', keys),
        start('two RateLimiterRedis under a RateLimiterUnion', redis.pid, {
          ...{ kind: 'union', root: ROOT, uri: redis.url, keys, atOnce },
        }),
      ]),
      await compare(`MongoDB, ${keys} keys`, measuring, open('mongodb', keys)),
      await compare('MongoDB, one key, with units counted in advance', measuring, open('mongodb', 1)),
    ];
    const facts = await factsOf(startedAt);
    const markdown = render(
      renderFacts(`The limiter alone, ${atOnce} decisions at once`, facts),
      comparisons,
    );
    await keepReport(values.results, 'limiter', { facts, ...{ comparisons } }, markdown);
    process.stdout.write(markdown);
    return 0;
  } finally {
    await database.close();
    await redis.close();
  }
}

function start(name: string, storePid: number, given: object): Contestant {
  const child = fork(join(__dirname, 'contestant.cjs'), [JSON.stringify(given)], { execArgv: [] });
  return { name, child, storePid };
}

async function compare(
  title: string,
  { rounds, seconds, signal }: Measuring,
  contestants: readonly Contestant[],
): Promise<Comparison> {
  try {
    const measured = contestants.map(({ name }): Comparison['contestants'][number] => ({ name, rounds: [] }));
    for (const { child } of contestants) await messageOf(child);
    for (const contestant of contestants) await measure(contestant, WARM_UP_SECONDS);
    for (let i = 0; i < rounds; i++)
      for (const [j, contestant] of contestants.entries()) {
        signal.throwIfAborted();
        measured[j]?.rounds.push(await measure(contestant, seconds));
      }
    return { title, contestants: measured };
  } finally {
    for (const { child } of contestants) if (child.connected) child.send({ end: true });
  }
}

async function measure({ child, storePid }: Contestant, seconds: number): Promise<Round> {
  const before = ownUsageOf(storePid).cpuUs;
  child.send({ run: seconds });
  const { decisions, cpuUs, seconds: took, error } = await messageOf(child);
  if (error !== undefined) throw new Error(error);
  return {
    perSecond: decisions / took,
    gatewayUs: cpuUs / decisions,
    storeUs: (ownUsageOf(storePid).cpuUs - before) / decisions,
  };
}

interface Message {
  decisions: number;
  cpuUs: number;
  seconds: number;
  error?: string;
}

async function messageOf(child: ChildProcess): Promise<Message> {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('a limiter ended')));
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [Message];
  return message;
}

function render(head: readonly string[], comparisons: readonly Comparison[]): string {
  const sections = comparisons.flatMap(({ title, contestants }) =>
    renderSection(
      title,
      ['', 'decisions/s', 'gateway µs each', 'store µs each'],
      contestants.map(({ name, rounds }) => {
        const median = (of: keyof Round) => medianOf(rounds.map((one) => one[of]));
        return [
          name,
          round(median('perSecond'), 0),
          round(median('gatewayUs'), 1),
          round(median('storeUs'), 1),
        ];
      }),
    ),
  );
  return [...head, ...sections].join('\n');
}
