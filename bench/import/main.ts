import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { PET_STATUSES } from '../../src/features/pets/pet.js';
import { prepared } from '../../test/support/prepared.js';
import { factsOf } from '../facts.js';
import { keepReport } from '../keep-report.js';
import { renderFacts, renderRows, round } from '../markdown.js';
import { medianOf } from '../summary.js';
import { connect, startDatabase, type BenchDatabase } from '../targets/database.js';

const GATEWAY = join(__dirname, '../../bin/pets-gateway.js');
/** As an import sends them. */
const PETS_PER_INSERT = 10_000;
const AT_ONCE = 3;
/** Pets a second, as a share of the driver's. */
const MARK = 0.9;
const run = promisify(execFile);
const progress = (line: string) => process.stderr.write(`${line}\n`);

const DRIVER = 'the driver, documents from memory';

/** Seconds for all pets. */
type Contestant = (pets: number, uri: string) => Promise<number>;

/**
 * `npm run bench:import`: a file of pets taken in by `pets-gateway pets import`, beside the same pets from memory by the
 * driver alone. @returns the exit code
 */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { pets: { type: 'string', default: '1000000' }, rounds: { type: 'string', default: '3' } },
  });
  const pets = Number(values.pets);
  const startedAt = new Date();
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-bench-'));
  const database = await startDatabase();
  try {
    const seconds = await measure(pets, Number(values.rounds), folder, database);
    const facts = await factsOf(startedAt);
    const medians = Object.entries(seconds).map(([name, each]): [string, number] => [name, medianOf(each)]);
    const own = medians[0]?.[1] ?? NaN;
    const markdown = [
      ...renderFacts(`${pets} pets taken in, ${facts.startedAt}`, facts),
      ...renderRows(
        ['', 'seconds', 'pets a second', '× the driver', `mark: ≥ ${MARK}`],
        medians.map(([name, median]) => [
          name,
          round(median, 1),
          round(pets / median, 0),
          round(own / median, 2),
          name === DRIVER ? '' : own / median >= MARK ? 'reached' : '**not reached**',
        ]),
      ),
    ].join('\n');
    const report = { facts, pets, seconds };
    await keepReport(undefined, 'import', report, markdown);
    process.stdout.write(markdown);
    return 0;
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** In turn, each on a database without pets. */
async function measure(pets: number, rounds: number, folder: string, database: BenchDatabase) {
  const withoutIds = join(folder, 'new.ndjson');
  const withIds = join(folder, 'exported.ndjson');
  await writePets(withoutIds, pets, () => '');
  await writePets(withIds, pets, (id) => `"id":${id},`);
  const contestants: Record<string, Contestant> = {
    [DRIVER]: insertByDriver,
    'pets import, new pets': (_pets, uri) => importFile(withoutIds, uri),
    'pets import, pets with ids': (_pets, uri) => importFile(withIds, uri),
  };
  const seconds: Record<string, number[]> = {};
  for (let turn = 1; turn <= rounds; turn += 1)
    for (const [name, contestant] of Object.entries(contestants)) {
      const uri = database.uriOf(`import-${turn}`);
      const took = await contestant(pets, uri);
      (seconds[name] ??= []).push(took);
      progress(`round ${turn}, ${name}: ${took.toFixed(1)} s`);
      await empty(uri, pets);
    }
  return seconds;
}

async function writePets(path: string, pets: number, idOf: (id: number) => string): Promise<void> {
  const file = createWriteStream(path);
  for (let id = 1; id <= pets; id += 1)
    if (
      !file.write(
        `{${idOf(id)}"name":"Pet number ${id}","categoryId":${id % 50},"status":"${statusOf(id)}"}\n`,
      )
    )
      await once(file, 'drain');
  file.end();
  await once(file, 'close');
}

async function insertByDriver(pets: number, uri: string): Promise<number> {
  const connection = await connect(uri);
  try {
    const collection = (await prepared(connection)).collection<{ _id: bigint }>('pets');
    const documents = Array.from({ length: pets }, (_, i) => ({
      _id: BigInt(i + 1),
      name: `Pet number ${i + 1}`,
      categoryId: BigInt((i + 1) % 50),
      status: statusOf(i + 1),
    }));
    let next = 0;
    const beganMs = performance.now();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        while (next < pets) {
          const batch = documents.slice(next, (next += PETS_PER_INSERT));
          await collection.insertMany(batch, {
            ordered: false,
            writeConcern: { w: 'majority', journal: true },
          });
        }
      }),
    );
    return (performance.now() - beganMs) / 1000;
  } finally {
    await connection.close();
  }
}

/** The whole command, as it is typed. */
async function importFile(path: string, uri: string): Promise<number> {
  const beganMs = performance.now();
  await run(process.execPath, [GATEWAY, 'pets', 'import', path, '--json'], {
    env: { ...process.env, MONGODB_URI: uri, LOG_LEVEL: 'error' },
  });
  return (performance.now() - beganMs) / 1000;
}

/** @throws Error when there are not as many pets as there should be */
async function empty(uri: string, pets: number): Promise<void> {
  const connection = await connect(uri);
  try {
    const found = await connection.collection('pets').countDocuments();
    if (found !== pets) throw new Error(`${found} pets of ${pets} were taken in`);
    await connection.dropDatabase();
  } finally {
    await connection.close();
  }
}

function statusOf(id: number): string {
  return PET_STATUSES[id % PET_STATUSES.length] ?? 'available';
}
