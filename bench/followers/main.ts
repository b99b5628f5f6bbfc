import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Connection, mongo } from 'mongoose';
import { factsOf } from '../facts.js';
import { keepReport, RESULTS_HELP } from '../keep-report.js';
import { renderFacts, renderRows, round } from '../markdown.js';
import { positive } from '../options.js';
import { usageOf } from '../process-usage.js';
import { medianOf } from '../summary.js';
import { connect, startDatabase } from '../targets/database.js';
import { DESIGNS, NOBODY, type Design } from './designs.js';

const HELP = `npm run bench:followers -- [options]
  --followers LIST  processes that follow the changes of keys (1,20,100)
  --writes N        of a pet, in each round (2000)
  --rounds N        of each design and number of followers, for its medians (5)
  --results FOLDER  ${RESULTS_HELP}
`;
const WRITERS = 16;
const IDLE_MS = 2000;

interface Cell {
  design: Design;
  followers: number;
  /** MongoDB's processor time for each write, microseconds, one for each round. */
  writeUs: number[];
  /** MongoDB's processor time without any writes, milliseconds a second. */
  idleMs: number[];
}

/** `npm run bench:followers`: what a write costs MongoDB while processes follow the changes. @returns the exit code */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      followers: { type: 'string', default: '1,20,100' },
      writes: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '5' },
      results: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const startedAt = new Date();
  const counts = values.followers.split(',').map(positive);
  const cells: Cell[] = [
    { design: NOBODY, followers: 0, writeUs: [], idleMs: [] },
    ...DESIGNS.flatMap((design) =>
      counts.map((followers) => ({ design, followers, writeUs: [], idleMs: [] })),
    ),
  ];
  const rounds = positive(values.rounds);
  const writes = positive(values.writes);
  const database = await startDatabase();
  // Each follower waits on a connection of the pool.
  const connection = await connect(`${database.uriOf('followers')}&maxPoolSize=500`);
  try {
    const db = connection.getClient().db(connection.name);
    await runWrites(db, writes);
    for (let i = 1; i <= rounds; i += 1)
      for (const cell of cells) await runRound(cell, connection, database.pid, writes);
  } finally {
    await connection.close();
    await database.close();
  }
  const facts = await factsOf(startedAt);
  const markdown = [
    ...renderFacts(`A write while processes follow the changes of keys, ${facts.startedAt}`, facts),
    ...renderRows(
      ['design', 'followers', 'MongoDB µs a write', 'MongoDB ms a second, idle'],
      cells.map(({ design, followers, writeUs, idleMs }) => [
        design.name,
        String(followers),
        round(medianOf(writeUs), 0),
        round(medianOf(idleMs), 1),
      ]),
    ),
  ].join('\n');
  const report = {
    facts,
    cells: cells.map(({ design, ...cell }) => ({ design: design.name, ...cell })),
  };
  await keepReport(values.results, 'followers', report, markdown);
  process.stdout.write(markdown);
  return 0;
}

async function runRound(
  { design, followers, writeUs, idleMs }: Cell,
  connection: Connection,
  pid: number,
  writes: number,
): Promise<void> {
  const db = connection.getClient().db(connection.name);
  const stop = await design.start(connection, followers);
  const cpuUs = () => usageOf(pid).cpuUs;
  const idleUs = cpuUs();
  await sleep(IDLE_MS);
  const beforeUs = cpuUs();
  await runWrites(db, writes);
  writeUs.push((cpuUs() - beforeUs) / writes);
  idleMs.push((beforeUs - idleUs) / IDLE_MS);
  await stop();
  process.stderr.write(`${design.name}, ${followers}: ${round(writeUs.at(-1), 0)} µs\n`);
}

/** Inserts pets one at a time from several writers, as gateways under light load do. */
async function runWrites(db: mongo.Db, count: number): Promise<void> {
  const pets = db.collection('pets');
  let left = count;
  await Promise.all(
    Array.from({ length: WRITERS }, async () => {
      while (left-- > 0)
        await pets.insertOne(
          { name: 'Rex', categoryId: 7, status: 'available' },
          { writeConcern: { w: 'majority' } },
        );
    }),
  );
}
