import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';

const database = freshDatabase();
afterAll(() => database.drop());

const run = (...args: string[]) => runCommand(database, [...args, '--json']);
const rows = async (...args: string[]) => JSON.parse((await run(...args)).stdout) as { id: string }[];

test('projects delete: programs must pass --yes; then the project and its keys are gone, without a running gateway', async () => {
  const { id } = JSON.parse((await run('projects', 'create', 'Zoo')).stdout) as { id: string };
  await run('keys', 'create', '--project', id);
  expect(await run('projects', 'delete', id)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes: standard input is not a terminal') as string,
  });
  expect(await rows('projects', 'list')).toHaveLength(1);

  const { code, stdout } = await run('projects', 'delete', id, '--yes');
  expect([code, JSON.parse(stdout)]).toEqual([0, { id, name: 'Zoo', state: 'deleted' }]);
  expect([await rows('projects', 'list'), await rows('keys', 'list')]).toEqual([[], []]);
  expect((await run('projects', 'delete', id, '--yes')).code).toBe(1);
});
