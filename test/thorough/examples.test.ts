import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { needs } from '../support/go-program.js';
import { startGateway, useGateway } from '../support/gateway.js';
import { mustRun, runProgram } from '../support/run-program.js';

const EXAMPLES = join(__dirname, '../../examples');
const TOOLS = join(__dirname, '../../scripts/tools.mjs');

const gateway = useGateway();
beforeAll(async () => {
  await mustRun(process.execPath, [TOOLS, '../examples/apollo-client']);
  const pets = Array.from({ length: 250 }, (_, i) => ({
    name: `p${i}`,
    categoryId: 1n,
    status: 'available' as const,
  }));
  await gateway.services.petsStore.insertMany(pets);
});

const run = (apiKey: string, program: string, ...args: string[]) => runAt(gateway.url, apiKey, program, args);

async function runAt(baseUrl: string, apiKey: string, program: string, args: string[]) {
  return runProgram(program, args, {
    env: { API_KEY: apiKey, BASE_URL: baseUrl, GOFLAGS: '-mod=mod', GO111MODULE: 'auto' },
    timeoutMs: 120_000,
  });
}

const PROGRAMS: [string, string[]][] = [
  ['curl', ['bash', join(EXAMPLES, 'curl/pets.sh')]],
  ['python', ['python3', join(EXAMPLES, 'python/pets.py')]],
  ['go', ['go', 'run', join(EXAMPLES, 'go/main.go')]],
  ['apollo-client', [process.execPath, join(EXAMPLES, 'apollo-client/pets.mjs')]],
];

test.each(PROGRAMS)('%s adds one animal, reads every page, and reports errors', async (_name, command) => {
  const [program = '', ...args] = command;
  if (program === 'go') await needs('go', ['version'], 'apt-get install -y golang-go');
  const { secret } = await gateway.keyOn('pro');
  const before = await gateway.services.petsStore.list({ limit: 1000 });
  const { code, output } = await run(secret, program, ...args);
  expect({ code, output }).toMatchObject({ code: 0 });
  const { pets } = await gateway.services.petsStore.list({ limit: 1000 });
  expect(pets).toHaveLength(before.pets.length + 1);
  for (const { id, name } of pets) expect(output).toEqual(expect.stringMatching(`${id}\\b.*${name}`));

  const refused = await run('pets_live_wrong', program, ...args);
  expect(refused.code).not.toBe(0);
  expect(refused.output).toMatch(/invalid_api_key|not valid|401/);
});

test('all of them wait when their minute is used up, and continue', async () => {
  const results = await Promise.all(
    PROGRAMS.map(async ([name, [program = '', ...args]]) => {
      const quota = { requestsPerMinute: 3, requestsPerDay: 1000 };
      const { apiKey, secret } = await gateway.keyOn('enterprise', quota);
      const { code, output } = await run(secret, program, ...args);
      const key = await gateway.services.apiKeys.get(apiKey.id);
      const { windows } = await gateway.services.keyQuotas.of(key);
      const used = windows.map((window) => window.used);
      const printsRejection = output.includes('rate_limit_exceeded');
      return { name, code, output: code === 0 ? '' : output, printsRejection, used, ban: key.ban };
    }),
  );
  // An animal and three pages: what did not fit into the first minute is in the second.
  expect(results).toEqual(
    PROGRAMS.map(([name]) => ({
      name,
      ...{ code: 0, output: '', printsRejection: false, used: [1, 4], ban: undefined },
    })),
  );
});

test('all of them follow the absolute addresses of a gateway that knows its public one', async () => {
  const front = createServer((client) => {
    const server = connect(Number(new URL(known.url).port), '127.0.0.1');
    client.on('error', () => server.destroy()).pipe(server);
    server.on('error', () => client.destroy()).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  const publicUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const known = await startGateway({ beside: gateway, env: { PUBLIC_URL: publicUrl } });
  try {
    const { secret } = await known.keyOn('pro');
    const first = await known.request('/v1/pets?limit=1', { key: secret });
    expect(first.headers.get('link')).toContain(`<${publicUrl}/v1/pets`);
    for (const [name, [program = '', ...args]] of PROGRAMS) {
      const { code, output } = await runAt(publicUrl, secret, program, args);
      expect({ name, code, output }).toMatchObject({ code: 0 });
      expect(output).toContain('p249');
    }
  } finally {
    await known.close();
    front.close();
  }
});

test('adopt.sh: of two people who reserve one animal at once, one is first and the other learns it', async () => {
  const { secret } = await gateway.keyOn('pro');
  const { code, output } = await run(secret, 'bash', join(EXAMPLES, 'curl/adopt.sh'));
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

  const refused = await run('pets_live_wrong', 'bash', join(EXAMPLES, 'curl/adopt.sh'));
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('invalid_api_key') as string });
});
