import { join } from 'node:path';
import { useGateway } from '../support/gateway.js';
import { mustRun, runProgram, type ProgramResult } from '../support/run-program.js';
import { EXAMPLES } from './install-packages.js';

interface GeneratedClient {
  name: string;
  generate: [string, ...string[]];
  run: [string, ...string[]];
}

const CLIENTS: GeneratedClient[] = [
  { name: 'go-generated', generate: ['go', 'generate', './...'], run: ['go', 'run', '.'] },
  { name: 'python-generated', generate: ['./generate.sh'], run: ['.venv/bin/python', 'main.py'] },
];

const gateway = useGateway();
beforeAll(async () => {
  const pets = Array.from({ length: 150 }, (_, i) => ({
    name: `p${i}`,
    categoryId: 1n,
    status: 'available' as const,
  }));
  await gateway.services.petsStore.insertMany(pets);
});

function run({ name, run: [program, ...args] }: GeneratedClient, apiKey: string): Promise<ProgramResult> {
  const env = { API_KEY: apiKey, BASE_URL: gateway.url };
  return runProgram(program, args, { cwd: join(EXAMPLES, name), env });
}

test.each(CLIENTS)(
  '$name generates a client that adds an animal, reads every page, and reports errors',
  async (client) => {
    const [generator, ...args] = client.generate;
    await mustRun(generator, args, { cwd: join(EXAMPLES, client.name) });
    const { secret } = await gateway.keyOn('pro');
    const before = await gateway.services.petsStore.list({ limit: 1000 });
    const { code, output } = await run(client, secret);
    expect({ code, output }).toMatchObject({ code: 0 });
    const { pets } = await gateway.services.petsStore.list({ limit: 1000 });
    expect(pets).toHaveLength(before.pets.length + 1);
    for (const { id, name } of pets) expect(output).toContain(`${id} ${name}\n`);

    const denied = await run(client, 'pets_live_wrong');
    expect(denied.code).not.toBe(0);
    expect(denied.output).toContain('invalid_api_key');
  },
);

test('both clients wait until their quota resets, and continue', async () => {
  const results = await Promise.all(
    CLIENTS.map(async (client) => {
      // A create and two pages: the third request waits for the next minute.
      const quota = { requestsPerMinute: 2, requestsPerDay: 1000 };
      const { secret } = await gateway.keyOn('enterprise', quota);
      const { code, output } = await run(client, secret);
      return { name: client.name, code, output: code === 0 ? '' : output };
    }),
  );
  expect(results).toEqual(CLIENTS.map(({ name }) => ({ name, code: 0, output: '' })));
});
