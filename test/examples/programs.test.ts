import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CustomQuota } from '../../src/features/plans/plans.js';
import { needs } from '../support/go-program.js';
import { useGateway, type StartedGateway } from '../support/gateway.js';
import { AMPLE } from '../support/rest-client.js';
import { mustRun, runProgram, type ProgramResult } from '../support/run-program.js';
import { EXAMPLES, installPackages } from './install-packages.js';
import { startWithPublicUrl } from './public-url.js';
import { makeTypescriptProject } from './typescript-project.js';

interface Example {
  name: string;
  run: [string, ...string[]];
  cwd: string;
  /** Brings what it needs first, such as packages or a generated client. */
  prepare?: (cwd: string) => Promise<unknown>;
}

const node = process.execPath;
const inExamples = (folder: string) => join(EXAMPLES, folder);
const PROJECT = join(tmpdir(), `pets-gateway-test-adopt-${process.pid}`);
const needsGo = () => needs('go', ['version'], 'apt-get install -y golang-go');

/** Each adds an animal and reads the available ones. */
const READERS: Example[] = [
  { name: 'curl', run: ['./pets.sh'], cwd: inExamples('curl') },
  { name: 'python', run: ['python3', 'pets.py'], cwd: inExamples('python') },
  { name: 'go', run: ['go', 'run', 'main.go'], cwd: inExamples('go'), prepare: needsGo },
  {
    name: 'apollo-client',
    run: [node, 'pets.mjs'],
    cwd: inExamples('apollo-client'),
    prepare: installPackages,
  },
  {
    name: 'go-generated',
    run: ['go', 'run', '.'],
    cwd: inExamples('go-generated'),
    async prepare(cwd) {
      await needsGo();
      await mustRun('go', ['generate', './...'], { cwd });
    },
  },
  {
    name: 'python-generated',
    run: ['.venv/bin/python', 'main.py'],
    cwd: inExamples('python-generated'),
    prepare: (cwd) => mustRun('./generate.sh', [], { cwd }),
  },
];

/** In each, two people reserve one animal at the same moment. The one in TypeScript ends with reading all animals. */
const ADOPTIONS: Example[] = [
  { name: 'adopt.sh', run: ['./adopt.sh'], cwd: inExamples('curl') },
  {
    name: 'adopt.ts',
    run: [node, 'adopt.mjs'],
    cwd: PROJECT,
    async prepare() {
      await mkdir(PROJECT);
      await makeTypescriptProject(PROJECT);
    },
  },
];

/** Tests every example against a gateway with this many animals. `requests`: how many each of them sends then. */
function testExamples(
  examples: Example[],
  animals: number,
  requests: Record<string, number>,
): StartedGateway {
  const gateway = useGateway();
  beforeAll(async () => {
    for (const { cwd, prepare } of examples) await prepare?.(cwd);
    const pets = Array.from({ length: animals }, (_, i) => ({
      name: `p${i}`,
      categoryId: 1n,
      status: 'available' as const,
    }));
    await gateway.services.petsStore.insertMany(pets);
  });

  /** Runs it with a new key, after `usedBefore` other requests with that key. @returns what the key has used, too */
  async function runWith(example: Example, quota: CustomQuota, usedBefore = 0, url = gateway.url) {
    const { apiKey, secret } = await gateway.keyOn('enterprise', quota);
    for (let i = 0; i < usedBefore; i += 1) await gateway.request('/v1/pets?limit=1', { key: secret });
    const { code, output } = await runAt(url, secret, example);
    const key = await gateway.services.apiKeys.get(apiKey.id);
    const { windows } = await gateway.services.keyQuotas.of(key);
    return { name: example.name, code, output, ban: key.ban, used: windows.map(({ used }) => used) };
  }

  test('all of them wait when their minute is used up, halfway or from the beginning, and continue', async () => {
    const results = await Promise.all(
      examples.flatMap((example) => {
        const all = requests[example.name] ?? 0;
        const half = Math.ceil(all / 2);
        return [
          runWith(example, { requestsPerMinute: half, requestsPerDay: 1000 }),
          runWith(example, { requestsPerMinute: all, requestsPerDay: 1000 }, all),
        ];
      }),
    );
    const printed = results.filter(
      ({ code, output }) => code !== 0 || output.includes('rate_limit_exceeded'),
    );
    expect(printed).toEqual([]);
    expect(results.map(({ name, used, ban }) => ({ name, used, ban }))).toEqual(
      examples.flatMap(({ name }) => {
        const all = requests[name] ?? 0;
        return [
          { name, used: [all - Math.ceil(all / 2), all], ban: undefined },
          { name, used: [all, 2 * all], ban: undefined },
        ];
      }),
    );
  });

  test.each(examples)('$name fails at once, and says why, when its day is used up', async (example) => {
    const all = requests[example.name] ?? 0;
    for (const [requestsPerDay, usedBefore] of [
      [1, 1],
      [Math.ceil(all / 2), 0],
    ] as const) {
      const { code, output, used } = await runWith(
        example,
        { requestsPerMinute: 100, requestsPerDay },
        usedBefore,
      );
      expectFailure({ code, output }, /day/);
      expect(used[1]).toBe(requestsPerDay);
    }
  });

  test.each(examples)('$name fails, and says why, with a wrong key', async (example) => {
    const { code, output } = await runAt(gateway.url, 'pets_live_wrong', example);
    expectFailure({ code, output }, /invalid_api_key|not valid|401/);
  });

  test('all of them follow the absolute links of a gateway that knows its public address', async () => {
    const known = await startWithPublicUrl(gateway);
    try {
      const { secret } = await known.keyOn('pro');
      const first = await known.request('/v1/pets?limit=1', { key: secret });
      expect(first.headers.get('link')).toContain(`<${known.url}/v1/pets`);
      for (const example of examples) {
        const { name, code, output, used } = await runWith(example, AMPLE, 0, known.url);
        expect({ name, code, output }).toMatchObject({ code: 0 });
        // It has read all pages.
        expect({ name, requests: used[1] }).toEqual({ name, requests: requests[name] });
      }
    } finally {
      await known.close();
    }
  });
  return gateway;
}

/** A program that was ended because it waited has no exit code. */
function expectFailure({ code, output }: ProgramResult, reason: RegExp): void {
  expect({ code, output }).toEqual({
    code: expect.any(Number) as number,
    output: expect.stringMatching(reason) as string,
  });
  expect(code).not.toBe(0);
}

function runAt(
  baseUrl: string,
  apiKey: string,
  { run: [program, ...args], cwd }: Example,
): Promise<ProgramResult> {
  const env = { API_KEY: apiKey, BASE_URL: baseUrl };
  return runProgram(program, args, { cwd, env, timeoutMs: 100_000 });
}

describe('the examples that read all animals', () => {
  const requests = Object.fromEntries(READERS.map(({ name }) => [name, 4]));
  const gateway = testExamples(READERS, 250, requests);

  test.each(READERS)('$name adds one animal, and reads every page', async (example) => {
    const { secret } = await gateway.keyOn('pro');
    const before = await gateway.services.petsStore.list({ limit: 1000 });
    const { code, output } = await runAt(gateway.url, secret, example);
    expect({ code, output }).toMatchObject({ code: 0 });
    const { pets } = await gateway.services.petsStore.list({ limit: 1000 });
    expect(pets).toHaveLength(before.pets.length + 1);
    for (const { id, name } of pets) expect(output).toEqual(expect.stringMatching(`${id}\\b.*${name}`));
  });
});

describe('the examples where two people reserve one animal at once', () => {
  afterAll(() => rm(PROJECT, { recursive: true, force: true }));
  const gateway = testExamples(ADOPTIONS, 30, { 'adopt.sh': 5, 'adopt.ts': 7 });

  test('adopt.sh: one is first, and the other learns it', async () => {
    const { secret } = await gateway.keyOn('pro');
    const { code, output } = await runAt(gateway.url, secret, exampleNamed('adopt.sh'));
    expect({ code, output }).toMatchObject({ code: 0 });
    const [first = '', second = ''] = output
      .trim()
      .split('\n')
      .toSorted((one, other) => Number(other.includes(' 200 ')) - Number(one.includes(' 200 ')));
    const [, winner = ''] = /^(Anna|Ben): 200 /.exec(first) ?? [];
    expect(first).toContain(`"name":"Pixel, for ${winner}"`);
    expect(second).toMatch(/^(Anna|Ben): 412 /);
    const { details } = JSON.parse(second.replace(/^\w+: 412 /, '')) as { details: unknown };
    expect(details).toMatchObject({ name: `Pixel, for ${winner}`, status: 'pending' });
  });

  test('adopt.ts: one is first, and the other learns it', async () => {
    const { secret } = await gateway.keyOn('pro');
    const { code, output } = await runAt(gateway.url, secret, exampleNamed('adopt.ts'));
    expect({ code, output }).toMatchObject({ code: 0 });
    const [, winner] = /^(Anna|Ben) reserved/m.exec(output) ?? [];
    const [, late] = /^(Anna|Ben) is too late/m.exec(output) ?? [];
    expect([winner, late].toSorted()).toEqual(['Anna', 'Ben']);
    expect(output).toContain(`${winner} reserved "Pixel, for ${winner}"\n`);
    expect(output).toContain(`${late} is too late: "Pixel, for ${winner}" is pending\n`);
    expect(output.match(/^\d+n p\d+ available$/gm)).toHaveLength(30);
  });

  function exampleNamed(name: string): Example {
    const example = ADOPTIONS.find((one) => one.name === name);
    if (example === undefined) throw new Error(`there is no example ${name}`);
    return example;
  }
});
