import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';

const database = freshDatabase();
afterAll(() => database.drop());

const run = (...args: string[]) => runCommand(database, args);

/** What a command prints for programs. */
async function json<T>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

interface ProjectRow {
  id: string;
  plan: string;
  perMinute: number;
  perDay: number;
}
interface KeyRow {
  id: string;
  secret: string;
  start: string;
  role: string;
  state: string;
  project: string | null;
}
interface QuotaRow {
  window: string;
  limit: number;
  used: number;
  remaining: number;
  bannedUntil: string | null;
}

const project = (name = 'Shop') => json<ProjectRow>('projects', 'create', name);

describe('projects', () => {
  test('list says when there is none', async () => {
    const empty = freshDatabase();
    try {
      expect(await runCommand(empty, ['projects', 'list'])).toEqual({
        code: 0,
        stdout: 'There is no project yet.\n',
        stderr: '',
      });
      expect((await runCommand(empty, ['projects', 'list', '--json'])).stdout).toBe('[]\n');
    } finally {
      await empty.drop();
    }
  });

  test('create, plan, list', async () => {
    const { id, ...created } = await project('Zoo');
    expect(created).toMatchObject({ name: 'Zoo', plan: 'free', perMinute: 60, perDay: 1000 });
    expect(await json('projects', 'plan', id, 'business')).toMatchObject({
      plan: 'business',
      perMinute: 1000,
    });
    expect(
      await json('projects', 'plan', id, 'enterprise', '--per-minute', '7', '--per-day', '70'),
    ).toMatchObject({ plan: 'enterprise', perMinute: 7, perDay: 70 });
    expect(await json('projects', 'list')).toContainEqual(expect.objectContaining({ id, perDay: 70 }));
  });

  test('on a terminal, a table with a line for each project', async () => {
    const { id } = await project('Table');
    const { stdout } = await run('projects', 'list');
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head?.split(/ {2,}/)).toEqual(['id', 'name', 'plan', 'perMinute', 'perDay', 'createdAt']);
    expect(
      rows
        .find((row) => row.startsWith(id))
        ?.split(/ {2,}/)
        .slice(1, 5),
    ).toEqual(['Table', 'free', '60', '1000']);
  });
});

describe('keys', () => {
  test('create shows the secret once; list never does', async () => {
    const { id: projectId } = await project();
    const key = await json<KeyRow>('keys', 'create', '--project', projectId, '--name', 'till');
    expect(key).toMatchObject({ name: 'till', role: 'server', state: 'active', project: projectId });
    expect(key.secret).toMatch(/^pets_live_[0-9A-Za-z]{38}$/);
    const listed = await run('keys', 'list', '--project', projectId, '--json');
    expect(JSON.parse(listed.stdout)).toEqual([expect.objectContaining({ id: key.id, start: key.start })]);
    expect(listed.stdout).not.toContain(key.secret);
  });

  test('create makes an admin key, the way out of a lost one', async () => {
    expect(await json<KeyRow>('keys', 'create', '--role', 'admin')).toMatchObject({
      role: 'admin',
      project: null,
    });
  });

  test('create makes a browser key for its origins', async () => {
    const { id } = await project();
    const origins = ['--origin', 'https://a.example', '--origin', 'http://localhost:5173'];
    expect(await json('keys', 'create', '--project', id, '--role', 'browser', ...origins)).toMatchObject({
      role: 'browser',
    });
  });

  test('rotate, revoke', async () => {
    const key = await json<KeyRow>('keys', 'create', '--role', 'admin');
    const rotated = await json<KeyRow>('keys', 'rotate', key.id, '--overlap', '0');
    expect(rotated.id).toBe(key.id);
    expect(rotated.secret).not.toBe(key.secret);
    expect(await json('keys', 'revoke', key.id)).toMatchObject({ id: key.id, state: 'revoked' });
    const again = await run('keys', 'rotate', key.id);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('is revoked');
  });
});

describe('quota', () => {
  test('show, reset, unban', async () => {
    const { id: projectId } = await project();
    const { id } = await json<KeyRow>('keys', 'create', '--project', projectId);
    const untouched = [
      { plan: 'free', window: 'minute', limit: 60, used: 0, remaining: 60, resetAt: null, bannedUntil: null },
      {
        plan: 'free',
        window: 'day',
        limit: 1000,
        used: 0,
        remaining: 1000,
        resetAt: null,
        bannedUntil: null,
      },
    ];
    expect(await json<QuotaRow[]>('quota', 'show', id)).toEqual(untouched);
    expect(await json('quota', 'reset', id, 'day')).toEqual(untouched);
    expect(await json('quota', 'reset', id)).toEqual(untouched);
    expect(await json('quota', 'unban', id)).toEqual(untouched);
  });
});
