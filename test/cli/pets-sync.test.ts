import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../support/command-line.js';
import { useGateway } from '../support/gateway.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const folder = useTemporaryFolder();
const gateway = useGateway();

/** The database of the gateway, as MONGODB_URI. */
function databaseOfGateway() {
  const url = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  url.pathname = `/${gateway.databaseName}`;
  return { uri: url.href };
}

async function newShelter() {
  const { apiKey, secret } = await gateway.keyOn('business', undefined, { role: 'owner' });
  return { projectId: apiKey.projectId ?? '', secret };
}

async function newFile(content: string, name = 'animals.csv'): Promise<string> {
  const path = join(folder(), name);
  await writeFile(path, content);
  return path;
}

const HEADER = 'externalId,name,categoryId,status\n';
const rows = (from: number, to: number, status = 'available') =>
  Array.from({ length: to - from }, (_, i) => `${from + i},Pet ${from + i},1,${status}\n`).join('');
const SYNC = ['--existing', 'replace', '--delete-missing'];

/** Both ways to reach the same project: the database of the settings, and the API with an owner's key. */
const WAYS = [
  ['the database', ({ projectId }: { projectId: string }) => ({ args: ['--project', projectId], env: {} })],
  [
    'the API',
    ({ secret }: { secret: string }) => ({
      args: ['--gateway', gateway.url],
      env: { PETS_GATEWAY_KEY: secret },
    }),
  ],
] as const;

describe.each(WAYS)('pets import over %s', (_way, reach) => {
  async function newRun() {
    const shelter = await newShelter();
    const { args, env } = reach(shelter);
    const run = (...more: string[]) =>
      runCommand(databaseOfGateway(), ['pets', 'import', ...more, ...args], env);
    const counted = async (...more: string[]) => {
      const { code, stdout, stderr } = await run(...more, '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    return { ...shelter, run, counted };
  }

  test('three nights', async () => {
    const { counted } = await newRun();
    const first = await newFile(HEADER + rows(0, 50));
    expect(await counted(first, ...SYNC)).toMatchObject({ state: 'done', added: 50, rejected: 0 });
    const second = await newFile(HEADER + rows(5, 10, 'sold') + rows(10, 52));
    expect(await counted(second, ...SYNC, '--dry-run')).toMatchObject({ state: 'checked', added: 2 });
    const expected = { added: 2, changed: 5, removed: 5, unchanged: 40 };
    expect(await counted(second, ...SYNC)).toMatchObject({ state: 'done', ...expected });
    expect(await counted(second, ...SYNC)).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 47 });
  });

  test('rejected lines, and missing animals that stay, end with exit code 1', async () => {
    const { run, counted } = await newRun();
    await counted(await newFile(HEADER + rows(0, 10)));
    const { code, stdout, stderr } = await run(
      await newFile(`${HEADER}1,Pet 1,1,available\n2,,1,sold\n`),
      ...SYNC,
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/unchanged {2}1\n/);
    expect(stderr).toMatch(
      /^line 3: name: must not be blank\nerror: 1 line was rejected\. No animals were removed\./,
    );
    const missing = await run(await newFile(HEADER), ...SYNC);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toMatch(
      /does not name 10 animals .* --delete-at-most is 2\..* with --delete-at-most 10\./,
    );
    expect(await counted(await newFile(HEADER), ...SYNC, '--delete-at-most', '10')).toMatchObject({
      removed: 10,
    });
  });

  test('a file that cannot be read, and wrong options, end with exit code 2', async () => {
    const { run } = await newRun();
    const unknown = await run(await newFile('externalId,name,categoryId,breed\n'));
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toMatch(/unknown columns: "breed".* ignore them \(--ignore-unknown\)/);
    const path = await newFile(HEADER);
    for (const args of [
      [path, '--existing', 'x'],
      [path, '--delete-at-most', '3'],
      [path, '--again'],
      ['-'],
      [await newFile(HEADER, 'animals.txt'), '--dry-run'],
      [join(folder(), 'missing.csv')],
    ])
      expect((await run(...args)).code).toBe(2);
  });
});

describe('over the API', () => {
  test('the key comes from a file, and is required', async () => {
    const { secret } = await newShelter();
    const path = await newFile(HEADER + rows(0, 1));
    const args = ['pets', 'import', path, '--gateway', gateway.url, '--json'];
    const keyFile = await newFile(`${secret}\n`, 'key');
    expect(await runCommand(databaseOfGateway(), [...args, '--key-file', keyFile])).toMatchObject({
      code: 0,
    });
    const without = await runCommand(databaseOfGateway(), args);
    expect(without).toMatchObject({ code: 2 });
    expect(without.stderr).toMatch(/--key: is required with --gateway\. Set PETS_GATEWAY_KEY/);
    const wrong = await runCommand(databaseOfGateway(), [...args, '--key', 'pets_live_wrong']);
    expect(wrong).toMatchObject({ code: 1 });
  });

  test.each([
    [
      { notRemovedReason: 'Animals were changed.' },
      /^error: Not all animals were removed\. Animals were changed\.$/m,
    ],
    [
      { state: 'failed', problem: 'It is broken.' },
      /^error: The import imp_\w+ is failed\. It is broken\.$/m,
    ],
  ] as const)('an import that ends with %o has exit code 1', async (end, message) => {
    const { secret } = await newShelter();
    const args = ['--gateway', gateway.url, '--key', secret];
    const bring = async (content: string) =>
      runCommand(databaseOfGateway(), ['pets', 'import', await newFile(content), ...SYNC, ...args]);
    expect(await bring(HEADER + rows(0, 10))).toMatchObject({ code: 0 });
    const { petsImports } = gateway.services;
    const receive = petsImports.receive.bind(petsImports);
    jest
      .spyOn(petsImports, 'receive')
      .mockImplementationOnce(async (...file) => ({ ...(await receive(...file)), ...end }));
    const { code, stderr } = await bring(HEADER + rows(1, 10));
    expect(code).toBe(1);
    expect(stderr).toMatch(message);
  });

  test('no gateway there', async () => {
    const path = await newFile(HEADER);
    const args = ['pets', 'import', path, '--gateway', 'http://127.0.0.1:9', '--key', 'x'];
    const { code, stderr } = await runCommand(databaseOfGateway(), args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: http:\/\/127\.0\.0\.1:9 did not answer/);
  });
});

test('standard input', async () => {
  const { projectId } = await newShelter();
  const stdout = execFileSync(
    process.execPath,
    [
      '--require',
      join(__dirname, '../support/register-typescript.cjs'),
      join(__dirname, '../support/cli-process.cjs'),
      databaseOfGateway().uri,
      'pets',
      'import',
      '-',
      '--format',
      'ndjson',
      '--project',
      projectId,
      '--json',
    ],
    {
      input: '{"externalId":"1","name":"Rex","categoryId":9007199254740993}\n',
      encoding: 'utf8',
    },
  );
  expect(JSON.parse(stdout)).toMatchObject({ state: 'done', added: 1 });
});
