import { connectMongo } from '../../../src/platform/mongo/connection.js';
import { createMongoUsageStore } from '../../../src/features/usage/mongo-usage-store.js';
import type { UsageNode } from './client.js';
import { runCommand, runJson } from '../../support/command-line.js';
import { freshDatabase } from '../../support/database.js';

const database = freshDatabase();
afterAll(() => database.drop());

const run = (...args: string[]) => runCommand(database, args);

const json = <T>(...args: string[]) => runJson<T>(database, args);

let projectId: string;
let keyId: string;
beforeAll(async () => {
  ({ id: projectId } = await json<{ id: string }>('projects', 'create', 'Shop'));
  ({ id: keyId } = await json<{ id: string }>(
    ...['keys', 'create', '--name', 'phone app', '--project', projectId],
  ));
  const connection = await connectMongo({
    uri: database.uri,
    defaultDatabase: '',
    databaseSuffix: '',
    selectionTimeoutMs: 5000,
  });
  const store = createMongoUsageStore(connection);
  const group = { interface: 'rest', operation: 'listPets' } as const;
  const groups = [
    { ...group, status: 200, requests: 7, cost: 7 },
    { ...group, status: 429, requests: 2, cost: 0 },
  ];
  const keyDays = ['2026-11-20', '2026-11-21'].map((day) => ({
    ...{ keyId, projectId, day, groups },
    bans: 1,
    refusals: [],
  }));
  await store.add({ writer: 'w', number: 1, keyDays });
  await connection.close();
});

test.each([
  ['a key', () => keyId],
  ['a key by its name', () => 'phone app'],
  ['a project', () => projectId],
  ['a project by its name', () => 'Shop'],
])('usage show prints the usage of %s for programs', async (_, idOf) => {
  const usage = await json<UsageNode>('usage', 'show', idOf(), '--from', '2026-11-19', '--to', '2026-11-20');
  expect(usage).toMatchObject({
    from: '2026-11-19T00:00:00.000Z',
    to: '2026-11-21T00:00:00.000Z',
    requests: 9,
    cost: 7,
    refused: 2,
    bans: 1,
  });
  expect(usage.days.map(({ date, requests }) => [date, requests])).toEqual([
    ['2026-11-19', 0],
    ['2026-11-20', 9],
  ]);
});

test('on a terminal there is a line for each day with requests, then for each operation, then the sums', async () => {
  const { stdout } = await run('usage', 'show', keyId, '--from', '2026-11-10', '--to', '2026-11-22');
  const lines = stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(lines.slice(0, -3)).toEqual([
    ['day', 'requests', 'cost', 'rejected'],
    ['2026-11-20', '9', '7', '2'],
    ['2026-11-21', '9', '7', '2'],
    [''],
    ['interface', 'operation', 'status', 'requests', 'cost'],
    ['rest', 'listPets', '200', '14', '14'],
    ['rest', 'listPets', '429', '4', '0'],
    [''],
    ['requests', '18'],
    ['cost', '14'],
    ['rejected', '4'],
  ]);
  expect(lines.at(-3)).toEqual(['bans', '2']);
});

test('on a terminal one line says that there were no requests, and of which days', async () => {
  const show = (...days: string[]) => run('usage', 'show', keyId, ...days);
  const { stdout } = await show('--from', '2026-01-01', '--to', '2026-01-31');
  const [line, , ...sums] = stdout.split('\n');
  expect(line).toBe('There were no requests from 2026-01-01 to 2026-01-31.');
  expect(sums.slice(0, 4).map((sum) => sum.split(/ {2,}/))).toEqual([
    ['requests', '0'],
    ['cost', '0'],
    ['rejected', '0'],
    ['bans', '0'],
  ]);
  const { stdout: ofOneDay } = await show('--from', '2026-01-01', '--to', '2026-01-01');
  expect(ofOneDay).toMatch(/^There were no requests on 2026-01-01\.\n/);
});

test.each([
  ['a key that does not exist', ['key_nobody'], 1, 'There is no API key with the id key_nobody'],
  ['a project that does not exist', ['proj_nobody'], 1, 'There is no project with the id proj_nobody'],
  ['a name that nothing has', ['nobody'], 1, 'There is no project or API key with the name nobody'],
  ['a range of too many days', ['?', '--from', '2020-01-01', '--to', '2026-01-01'], 2, 'at most 400 days'],
])('says so for %s', async (_, args, code, message) => {
  const result = await run('usage', 'show', ...args);
  expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) as string });
});
