import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { factsOf } from '../facts.js';
import { keepReport, RESULTS_HELP } from '../keep-report.js';
import { runLoad, type Load } from '../load.js';
import { renderFacts } from '../markdown.js';
import { ask } from '../measure.js';
import { positive } from '../options.js';
import { fillWithPets, startDatabase } from '../targets/database.js';
import { openGatewayKeys, type KeyUse } from '../targets/gateway-keys.js';
import { startServer } from '../targets/running-server.js';
import { untilInterrupted } from '../until-interrupted.js';
import { createWorkloads, type PetsRequest } from '../workloads.js';
import { sharesOf, type Profile, type ProfileShares, type Shares } from './shares.js';

const HELP = `npm run bench:profile -- [options]
  --seconds N       of each profile (5)
  --connections N   (50)
  --results FOLDER  ${RESULTS_HELP}
`;
const PETS = 100_000;
/** V8 needs up to 50,000 requests to compile the gateway. */
const WARM_UP_SECONDS = 8;
const WRITE_POLL_MS = 50;

interface Profiled {
  name: string;
  requestsPerSecond: number;
  shares: ProfileShares;
}

/**
 * `npm run bench:profile`: where a gateway with its default settings spends its processor time, for the requests
 * that are asked most. @returns the exit code
 */
export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '50' },
      results: { type: 'string' },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const startedAt = new Date();
  const profiles = await profileAll(
    positive(values.seconds),
    positive(values.connections),
    untilInterrupted(),
  );
  const facts = await factsOf(startedAt);
  const markdown = [
    ...renderFacts(`Profiles, ${facts.startedAt}`, facts),
    ...profiles.flatMap(renderProfile),
  ].join('\n');
  const report = { facts, profiles: profiles.map(short) };
  await keepReport(values.results, 'profile', report, markdown);
  process.stdout.write(markdown);
  return 0;
}

async function profileAll(seconds: number, connections: number, signal: AbortSignal): Promise<Profiled[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-bench-'));
  const database = await startDatabase();
  try {
    const uri = database.uriOf('profile');
    await fillWithPets(uri, PETS);
    const keys = await openGatewayKeys(uri, PETS);
    const file = join(folder, 'profile');
    const gateway = await startServer(
      process.execPath,
      [join(__dirname, '../../bin/pets-gateway.js'), 'serve'],
      {
        MONGODB_URI: uri,
        PORT: '0',
        PROFILE: file,
        NODE_OPTIONS: `--require ${JSON.stringify(join(__dirname, 'record.cjs'))}`,
      },
      join(folder, 'log'),
    );
    const workloads = createWorkloads(PETS);
    const asked: readonly (readonly [string, readonly PetsRequest[] | undefined, KeyUse])[] = [
      ['GET /v1/pets: the same list of 20', workloads.list.rest, 'one'],
      ['GET /v1/pets: 60 kinds of list', workloads.lists.rest, 'one'],
      ['GET /v1/pets/{petId}: 500 ids', workloads.get.rest, 'one'],
      ['POST /v1/pets', workloads.create.rest, 'one'],
      ["PATCH /v1/pets/{petId}: each pet of the key's project", workloads.update.rest, 'one'],
      ['POST /graphql: the same list of 20', workloads['graphql-list'].graphql, 'one'],
      ['POST /graphql: a new pet', workloads['graphql-create'].graphql, 'one'],
      ['429: a key with nothing left', workloads.get.rest, 'used-up'],
    ];
    try {
      const profiles: Profiled[] = [];
      for (const [name, requests = [], use] of asked) {
        const progress = { sent: 0 };
        const loadFor = async (time: number): Promise<Load> => ({
          ...{ url: gateway.url, requests, progress, headers: {}, connections, seconds: time },
          keys: await keys.of(use, time),
        });
        const [first] = requests;
        // The first request uses the key up.
        if (use === 'used-up' && first !== undefined) await (await ask(await loadFor(1), first)).text();
        await runLoad(await loadFor(WARM_UP_SECONDS), signal);
        process.kill(gateway.pid, 'SIGUSR2');
        const { requestsPerSecond } = await runLoad(await loadFor(seconds), signal);
        process.kill(gateway.pid, 'SIGUSR2');
        profiles.push({ name, requestsPerSecond, shares: sharesOf(await readProfile(file, signal)) });
        process.stderr.write(`${name}: ${requestsPerSecond.toFixed(0)} req/s while profiled\n`);
      }
      return profiles;
    } finally {
      await gateway.stop();
      await keys.close();
    }
  } finally {
    await database.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until the gateway has written the whole file, and removes it. */
async function readProfile(file: string, signal: AbortSignal): Promise<Profile> {
  for (;;) {
    signal.throwIfAborted();
    try {
      const profile = JSON.parse(await readFile(file, 'utf8')) as Profile;
      await rm(file);
      return profile;
    } catch {
      await sleep(WRITE_POLL_MS);
    }
  }
}

const MOST_LINES = 14;

/** What a reader can use, and not thousands of functions. */
function short({ name, requestsPerSecond, shares }: Profiled) {
  const { busySeconds, areas, functions, steps } = shares;
  const most = (all: Shares) => all.slice(0, MOST_LINES);
  return {
    name,
    requestsPerSecond,
    busySeconds,
    areas: most(areas),
    functions: most(functions),
    steps: most(steps),
  };
}

function renderProfile(profiled: Profiled): string[] {
  const { name, requestsPerSecond, busySeconds, areas, functions, steps } = short(profiled);
  const lines = (all: Shares) =>
    all.map(([what, share]) => `${(share * 100).toFixed(1).padStart(5)} %  ${what}`);
  return [
    `## ${name}`,
    '',
    `${requestsPerSecond.toFixed(0)} requests per second while profiled, ${busySeconds.toFixed(1)} s busy.`,
    '',
    '```text',
    'where the code is, without what it calls',
    ...lines(areas),
    '',
    'functions, without what they call',
    ...lines(functions),
    '',
    'functions of the gateway, with what they call',
    ...lines(steps),
    '```',
    '',
  ];
}
