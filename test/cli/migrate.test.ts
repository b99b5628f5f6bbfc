import type { Finding } from '../../src/cli/doctor/finding.js';
import { runCommand } from '../support/command-line.js';
import { useRawDatabase } from '../support/use-raw-database.js';

const { database, raw } = useRawDatabase();
// Each test begins with a new database.
afterEach(() => raw().dropDatabase());

const run = (...args: string[]) => runCommand(database, args);

async function finding(): Promise<Finding | undefined> {
  const { stdout } = await run('doctor', '--json');
  return (JSON.parse(stdout) as Finding[]).find(({ check }) => check === 'migrations');
}

test('a dry run on a new database lists everything that the first start would create, and creates nothing', async () => {
  expect(await finding()).toMatchObject({
    verdict: 'ok',
    finding: expect.stringContaining('new') as unknown,
  });
  const { code, stdout } = await run('migrate', '--dry-run');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^collection pets +pending$/m);
  expect(stdout).toMatch(/^indexes? .*secrets\.hash_1.* of apiKeys +pending$/m);
  expect(await raw().listCollections()).toEqual([]);
});

test('migrate applies everything once; doctor reports later gaps, and the next migrate fills them', async () => {
  expect((await run('migrate')).stdout).toMatch(/^collection pets +done$/m);
  expect(await run('migrate')).toMatchObject({
    code: 0,
    stdout: 'Nothing to do: the database is prepared for this version.\n',
    stderr: '',
  });
  expect(await finding()).toMatchObject({
    verdict: 'ok',
    finding: expect.stringMatching(/has been done$/) as unknown,
  });

  const pets = raw().collection('pets');
  const { length: all } = await pets.indexes();
  await pets.dropIndex('status_1__id_1');
  await pets.insertOne({ status: 'sold' });
  expect(await finding()).toMatchObject({
    verdict: 'warning',
    finding: 'pending: index status_1__id_1 of pets',
  });
  expect(await run('keys', 'list')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('would change the database') as unknown,
  });
  expect(await pets.indexes()).toHaveLength(all - 1);
  const { stdout, stderr } = await run('migrate', '--json');
  expect(JSON.parse(stdout)).toEqual([{ change: 'index status_1__id_1 of pets', state: 'done' }]);
  expect(stderr).toBe('index status_1__id_1 of pets, over about 1 documents\n');
  expect(await pets.indexes()).toHaveLength(all);
});

test('a command creates no collection for another quota store', async () => {
  await run('migrate');
  await raw().dropCollection('quotas');
  expect(await run('projects', 'create', 'Shop')).toMatchObject({ code: 0 });
  expect((await raw().listCollections()).map(({ name }) => name)).not.toContain('quotas');
});
