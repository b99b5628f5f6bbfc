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
  await run('projects', 'create', '=1+1');
  await run('keys', 'create', '--project', 'zoo', '--name', 'till');
  await run('projects', 'plan', 'zoo', 'pro');
  await run('keys', 'revoke', 'till', '--yes');
});

test('lists all changes, newest first, with what changed', async () => {
  expect(await actions()).toEqual([
    'apiKey.revoke',
    'project.changePlan',
    'apiKey.create',
    'project.create',
    'project.create',
    'project.create',
  ]);
  const { stdout } = await run('audit');
  expect(stdout).toMatch(/^at +actor +action +project +key +pet +changes$/m);
  expect(stdout).toMatch(/^\S.* +\S+@\S+ +project\.changePlan +Zoo +- +- +plan free → pro$/m);
});

test('filters by project, key, actor, action and time', async () => {
  expect(await actions('--project', 'farm')).toEqual(['project.create']);
  expect(await actions('--key', 'till')).toEqual(['apiKey.revoke', 'apiKey.create']);
  expect(await actions('--action', 'project.changePlan')).toEqual(['project.changePlan']);
  const [{ actor } = { actor: { systemUser: '' } }] = await audit();
  expect(await actions('--actor', actor.systemUser)).toHaveLength(6);
  expect(await actions('--actor', 'nobody@nowhere')).toEqual([]);
  expect(await actions('--actor', 'gateway')).toEqual([]);
  expect(await actions('--to', '2020-01-01')).toEqual([]);
  expect(await actions('--from', '2020-01-01')).toHaveLength(6);
  expect(await actions('--from', '2999-01-01')).toEqual([]);
  expect((await run('audit', '--action', 'project.paint')).code).toBe(2);
});

test('is cut at --limit', async () => {
  const { stdout } = await run('audit', '--limit', '2');
  expect(stdout).toContain('These are the first 2. To see more, use --limit <n> or --all.');
  expect(await audit('--limit', '6')).toHaveLength(6);
});

test('names projects and keys', async () => {
  const [revoked] = await json<{ names: object }[]>('audit', '--action', 'apiKey.revoke');
  expect(revoked?.names).toEqual({ project: 'Zoo', apiKey: 'till' });
});

test('filters by the role of the actor', async () => {
  expect(await actions('--actor', 'command line')).toHaveLength(6);
  expect(await actions('--actor', 'owner')).toEqual([]);
});

/** As the dashboard has it: test/dashboard-full/admin.test.ts. */
const CSV_HEAD =
  'id,at,action,actorRole,actorName,actorKeyId,actorSystemUser,projectName,projectId,apiKeyName,apiKeyId,petId,changes';

describe('exports', () => {
  test('CSV, with a header, in which a name is no formula', async () => {
    const { code, stdout, stderr } = await run(
      'audit',
      '--csv',
      '--action',
      'project.create',
      '--limit',
      '1',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [head, line, end] = stdout.split('\r\n');
    expect(head).toBe(CSV_HEAD);
    expect(line).toMatch(
      /^[0-9a-f]{24},\d{4}-[^,]+Z,project\.create,command line,,,[^,]+@[^,]+,'=1\+1,proj_\w+,,,,name: =1\+1; plan: free; siteAnimals: own$/,
    );
    expect(end).toBe('');
  });

  test('NDJSON, a record on each line, all of them unless limited', async () => {
    const { stdout } = await run('audit', '--ndjson');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Entry).action)).toEqual(await actions());
    expect(Object.keys(JSON.parse(lines[0] ?? '') as object)).toEqual(CSV_HEAD.split(','));
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      apiKeyName: 'till',
      actorName: null,
      projectName: 'Zoo',
    });
    expect((await run('audit', '--ndjson', '--limit', '2')).stdout.trimEnd().split('\n')).toHaveLength(2);
    expect((await run('audit', '--ndjson', '--csv')).code).toBe(2);
  });
});
