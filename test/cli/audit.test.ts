import { runCommand, runJson } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';

const database = freshDatabase();
afterAll(() => database.drop());
const run = (...args: string[]) => runCommand(database, args);
const json = <T>(...args: string[]) => runJson<T>(database, args);

interface Entry {
  action: string;
  actor: { systemUser: string };
  before?: Record<string, unknown>;
  after: Record<string, unknown>;
}
const audit = async (...args: string[]) => json<Entry[]>('audit', ...args);
const actions = async (...args: string[]) => (await audit(...args)).map(({ action }) => action);

beforeAll(async () => {
  await run('projects', 'create', 'Zoo');
  await run('projects', 'create', 'Farm');
  await run('keys', 'create', '--project', 'zoo', '--name', 'till');
  await run('projects', 'plan', 'zoo', 'pro');
  await run('keys', 'revoke', 'till');
});

test('lists all changes, newest first, with what changed', async () => {
  expect(await actions()).toEqual([
    'apiKey.revoke',
    'project.changePlan',
    'apiKey.create',
    'project.create',
    'project.create',
  ]);
  const { stdout } = await run('audit');
  expect(stdout).toMatch(/^at +actor +action +project +key +changes$/m);
  expect(stdout).toMatch(/^\S.* +\S+@\S+ +project\.changePlan +proj_\w+ +- +plan free → pro$/m);
});

test('filters by project, key, actor, action and time', async () => {
  expect(await actions('--project', 'farm')).toEqual(['project.create']);
  expect(await actions('--key', 'till')).toEqual(['apiKey.revoke', 'apiKey.create']);
  expect(await actions('--action', 'project.changePlan')).toEqual(['project.changePlan']);
  const [{ actor } = { actor: { systemUser: '' } }] = await audit();
  expect(await actions('--actor', actor.systemUser)).toHaveLength(5);
  expect(await actions('--actor', 'nobody@nowhere')).toEqual([]);
  expect(await actions('--actor', 'gateway')).toEqual([]);
  expect(await actions('--to', '2020-01-01')).toEqual([]);
  expect(await actions('--from', '2020-01-01')).toHaveLength(5);
  expect(await actions('--from', '2999-01-01')).toEqual([]);
  expect((await run('audit', '--action', 'project.paint')).code).toBe(2);
});

test('is cut at --limit', async () => {
  const { stdout } = await run('audit', '--limit', '2');
  expect(stdout).toContain('These are the first 2. To see more, use --limit <n> or --all.');
  expect(await audit('--limit', '5')).toHaveLength(5);
});
