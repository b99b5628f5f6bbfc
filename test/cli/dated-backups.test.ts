import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const DATED = /^pets-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z$/;

const folder = useTemporaryFolder();
const database = freshDatabase();
afterAll(() => database.drop());
beforeAll(async () => {
  expect(await runCommand(database, ['projects', 'create', 'Shop'])).toMatchObject({ code: 0 });
});

const backUpInto = (into: string, ...options: string[]) =>
  runCommand(database, ['backup', '--into', into, ...options]);

/** A complete backup with the name of an earlier time. */
async function backedUpAt(time: string): Promise<string> {
  const known = new Set(await readdir(folder()));
  expect(await backUpInto(folder())).toMatchObject({ code: 0, stderr: '' });
  const made = (await readdir(folder())).find((name) => !known.has(name));
  await rename(join(folder(), made ?? ''), join(folder(), `pets-${time}`));
  return `pets-${time}`;
}

test('each backup has a folder of its own, and a restore takes it', async () => {
  const { code, stdout } = await backUpInto(folder());
  expect(code).toBe(0);
  const [name = '', ...others] = await readdir(folder());
  expect([name, others]).toEqual([expect.stringMatching(DATED), []]);
  expect(stdout.trim().endsWith(join(folder(), name))).toBe(true);

  const other = freshDatabase();
  expect(await runCommand(other, ['restore', join(folder(), name)])).toMatchObject({ code: 0 });
  await other.drop();
});

test('--keep removes the oldest backups, and what a killed backup left, and nothing else', async () => {
  await backedUpAt('2026-01-01T03-00-00Z');
  const second = await backedUpAt('2026-01-02T03-00-00Z');
  const killed = 'pets-2026-01-03T03-00-00Z';
  await mkdir(join(folder(), killed));
  await mkdir(join(folder(), `${killed}.partial`));
  await writeFile(join(folder(), `${killed}.partial`, 'pets.bson.gz'), 'half');
  const halfRemoved = 'pets-2026-01-04T03-00-00Z.partial';
  await mkdir(join(folder(), halfRemoved));
  const own = ['notes.txt', 'pets-2026', 'pets-2025-01-01T03-00-00Z'];
  await writeFile(join(folder(), 'notes.txt'), '');
  await mkdir(join(folder(), 'pets-2026'));
  // A folder with the name of a backup, but with somebody's own files and no manifest.
  await mkdir(join(folder(), 'pets-2025-01-01T03-00-00Z'));
  await writeFile(join(folder(), 'pets-2025-01-01T03-00-00Z', 'own.txt'), '');

  const { code, stdout } = await backUpInto(folder(), '--keep', '2');
  expect(code).toBe(0);
  const left = await readdir(folder());
  const newest = left.find((name) => DATED.test(name) && !own.includes(name) && name !== second);
  expect(left.sort()).toEqual([...own, second, newest].sort());
  expect(stdout).toContain('Removed pets-2026-01-01T03-00-00Z');
});

test('--keep leaves every folder that also holds files of somebody else', async () => {
  const complete = await backedUpAt('2026-01-01T03-00-00Z');
  const killed = 'pets-2026-01-03T03-00-00Z';
  await mkdir(join(folder(), killed));
  await mkdir(join(folder(), `${killed}.partial`));
  const own = [complete, killed, `${killed}.partial`];
  for (const name of own) await writeFile(join(folder(), name, 'own.txt'), '');
  expect(await backUpInto(folder(), '--keep', '1')).toMatchObject({ code: 0, stderr: '' });
  expect(await readdir(folder())).toEqual(expect.arrayContaining(own));
  for (const name of own) expect(await readdir(join(folder(), name))).toContain('own.txt');
  expect(await readdir(join(folder(), complete))).toContain('manifest.json');
});

test('a backup that is being written now is left alone', async () => {
  const now = `pets-${new Date().toISOString().slice(0, 11)}00-00-00Z`;
  await mkdir(join(folder(), now));
  await mkdir(join(folder(), `${now}.partial`));
  expect(await backUpInto(folder(), '--keep', '1')).toMatchObject({ code: 0 });
  expect(await readdir(folder())).toEqual(expect.arrayContaining([now, `${now}.partial`]));
});

test('a folder that is missing, such as a volume that is not mounted, fails and is not made', async () => {
  const missing = join(folder(), 'volume');
  expect(await backUpInto(missing, '--keep', '2')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`${missing} does not exist`) as string,
  });
  expect(await readdir(folder())).toEqual([]);
});

test.each([
  [[], 'Name a folder'],
  [['a', '--into', 'b'], 'not both'],
  [['a', '--keep', '2'], '--keep needs --into'],
  [['--into', 'b', '--keep', '0'], 'Use a number from 1'],
])('backup %j is a mistake', async (args, message) => {
  expect(await runCommand(database, ['backup', ...args])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message) as string,
  });
});
