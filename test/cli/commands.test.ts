import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand, runJson } from '../support/command-line.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { rawDatabase } from '../support/raw-database.js';

const database = freshDatabase();
afterAll(() => database.drop());

const run = (...args: string[]) => runCommand(database, args);

const json = <T>(...args: string[]) => runJson<T>(database, args);

interface ProjectRow {
  id: string;
  slug: string;
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
  test('create takes the name as an option too, as `keys create` does', async () => {
    expect(await json('projects', 'create', '--name', 'Happy Whiskers')).toMatchObject({
      name: 'Happy Whiskers',
      slug: 'happy-whiskers',
    });
  });

  test('list says when there are no projects', async () => {
    const empty = freshDatabase();
    try {
      expect(await runCommand(empty, ['projects', 'list'])).toEqual({
        code: 0,
        stdout: 'There are no projects yet.\n',
        stderr: '',
      });
      expect((await runCommand(empty, ['projects', 'list', '--json'])).stdout).toBe('[]\n');
    } finally {
      await empty.drop();
    }
  });

  test('create, plan, list', async () => {
    const { id, ...created } = await project('Zoo');
    expect(created).toMatchObject({ name: 'Zoo', plan: 'free', perMinute: 60, perDay: 1000, maxKeys: 5 });
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
    expect(head?.split(/ {2,}/)).toEqual([
      'id',
      'name',
      'slug',
      'plan',
      'per minute',
      'per day',
      'max keys',
      'site animals',
      'created',
    ]);
    expect(rows.at(-1)).toMatch(/ {2}(just now|\d+ minutes? ago)$/);
    expect(
      rows
        .find((row) => row.startsWith(id))
        ?.split(/ {2,}/)
        .slice(1, 6),
    ).toEqual(['Table', 'table', 'free', '60', '1000']);
  });
});

describe('a project can be named by its id or its slug', () => {
  test('in every command that takes a project', async () => {
    const { id, slug } = await json<ProjectRow>('projects', 'create', 'Happy Paws');
    expect(slug).toBe('happy-paws');
    expect(await json('projects', 'plan', slug, 'pro')).toMatchObject({ id, plan: 'pro' });
    const { id: keyId } = await json<KeyRow>('keys', 'create', '--project', slug);
    expect(await json('keys', 'list', '--project', slug)).toMatchObject([{ id: keyId, project: id }]);
    expect(await json('usage', 'show', slug)).toMatchObject({ requests: 0 });
    expect(await json('deploys', 'list', '--project', slug)).toEqual([]);
    expect(await json('projects', 'delete', slug, '--yes')).toMatchObject({ id, state: 'deleted' });
  });

  test('or by its name, if only one has it', async () => {
    const { id } = await json<ProjectRow>('projects', 'create', 'Tails & Whiskers');
    expect(await json('projects', 'show', 'Tails & Whiskers')).toMatchObject({ id, activeKeys: 0 });
    await json('projects', 'create', 'Tails & Whiskers');
    const { code, stderr } = await run('projects', 'show', 'Tails & Whiskers');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: name: 2 have the name .*Use an id: proj_\w+, proj_\w+\n$/),
    ]);
  });

  test('one that is not there is said as it was named', async () => {
    const { code, stderr } = await run('keys', 'list', '--project', 'no-such');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('There is no project with the slug or name no-such'),
    ]);
  });
});

describe('colors', () => {
  const colorsOf = async (env: Record<string, string>) => {
    await run('keys', 'create', '--role', 'admin');
    const { stdout } = await runCommand(database, ['keys', 'list'], env);
    return [stdout.includes('\x1b[1mname\x1b[22m'), stdout.includes('\x1b[32mactive\x1b[39m')];
  };

  test('are left out where the output is not a terminal', async () => {
    expect(await colorsOf({ FORCE_COLOR: '0' })).toEqual([false, false]);
  });

  test('mark titles and states with FORCE_COLOR, but never the output for programs', async () => {
    expect(await colorsOf({ FORCE_COLOR: '1' })).toEqual([true, true]);
    const { stdout } = await runCommand(database, ['keys', 'list', '--json'], { FORCE_COLOR: '1' });
    expect(stdout).not.toContain('\x1b');
  });
});

describe('a list', () => {
  let shops: TestDatabase;
  beforeEach(async () => {
    shops = freshDatabase();
    for (let i = 1; i <= 3; i += 1) await runCommand(shops, ['projects', 'create', `Shop ${i}`]);
  });
  afterEach(() => shops.drop());
  const list = (...args: string[]) => runCommand(shops, ['projects', 'list', ...args]);

  test('stops at --limit, and says so below the table', async () => {
    const { stdout, stderr } = await list('--limit', '2');
    expect(stdout).toMatch(
      /Shop 1.*\n.*Shop 2.*\n\nThese are the first 2\. To see more, use --limit <n> or --all\.\n$/,
    );
    expect(stderr).toBe('');
    expect((await list('--limit', '3')).stdout).toMatch(/Shop 3.*\n$/);
  });

  test('stays an array for programs, and mentions the rest on standard error', async () => {
    const { stdout, stderr } = await list('--limit', '1', '--json');
    expect(JSON.parse(stdout)).toMatchObject([{ name: 'Shop 1' }]);
    expect(stderr).toContain('To see more');
  });

  test('is complete with --all, over several reads, for people and programs', async () => {
    const database = await rawDatabase({ databaseName: shops.dbName });
    const projects = database.collection<{ _id: string }>('projects');
    const one = await projects.findOne();
    await projects.insertMany(Array.from({ length: 120 }, (_, i) => ({ ...one, _id: `proj_${i}` })));
    await database.close();
    for (const args of [['--json'], ['--all', '--json']]) {
      const { stdout, stderr } = await list(...args);
      expect(new Set((JSON.parse(stdout) as ProjectRow[]).map(({ id }) => id)).size).toBe(123);
      expect(stderr).toBe('');
    }
    expect((await list()).stdout).toContain('These are the first 100. To see more');
    expect((await list('--all')).stdout.trimEnd().split('\n')).toHaveLength(124);
  });

  test('rejects a limit of 0', async () => {
    expect((await list('--limit', '0')).code).toBe(2);
  });
});

describe('keys', () => {
  test('rejects one key more than the plan includes, and names the upgrade', async () => {
    const { id } = await project('Many keys');
    for (let i = 0; i < 5; i++) await json('keys', 'create', '--project', id);
    const { code, stderr } = await run('keys', 'create', '--project', id);
    expect([code, stderr]).toEqual([1, expect.stringContaining('upgrade the project to Pro')]);
  });

  test('create shows the secret once; list never does', async () => {
    const { id: projectId } = await project();
    const key = await json<KeyRow>('keys', 'create', '--project', projectId, '--name', 'till');
    expect(key).toMatchObject({ name: 'till', role: 'server', state: 'active', project: projectId });
    expect(key.secret).toMatch(/^pets_live_[0-9A-Za-z]{38}$/);
    const listed = await run('keys', 'list', '--project', projectId, '--json');
    expect(JSON.parse(listed.stdout)).toEqual([expect.objectContaining({ id: key.id, start: key.start })]);
    expect(listed.stdout).not.toContain(key.secret);
  });

  test('create makes an admin key, which replaces a lost one', async () => {
    expect(await json<KeyRow>('keys', 'create', '--role', 'admin')).toMatchObject({
      role: 'admin',
      project: null,
    });
  });

  test('create makes a browser key for the given origins', async () => {
    const { id } = await project();
    const origins = ['--origin', 'https://a.example', '--origin', 'http://localhost:5173'];
    expect(await json('keys', 'create', '--project', id, '--role', 'browser', ...origins)).toMatchObject({
      role: 'browser',
    });
  });

  test('create says that the secret is shown once, beside the output that a pipe gets', async () => {
    const { stdout, stderr } = await run('keys', 'create', '--role', 'admin');
    expect(stdout).toMatch(/^secret {2} *pets_live_[0-9A-Za-z]{38}\n$/m);
    expect(stderr).toBe('\nCopy the secret now. The gateway shows it only this once.\n');
  });

  test('show has what a list leaves out, and finds a key by its name', async () => {
    const { id: projectId } = await project('Names of keys');
    const create = ['keys', 'create', '--project', projectId, '--name', 'Front page', '--role', 'browser'];
    const { id } = await json<KeyRow>(...create, '--origin', 'https://a.example');
    const shown = await json<KeyRow>('keys', 'show', 'Front page');
    expect(shown).toMatchObject({
      id,
      state: 'active',
      allowedOrigins: ['https://a.example'],
      requestsToday: 0,
    });
    expect((await run('keys', 'show', id)).stdout).toMatch(/^allowed origins +https:\/\/a\.example$/m);
    expect(shown).toEqual(await json('keys', 'show', id));
    expect((await run('keys', 'show', id)).stdout).toMatch(/^created +\d{4}-.*Z \(.*\)$/m);
    // A revoked key does not stand in the way of the active key with the same name.
    await json('keys', 'revoke', 'Front page', '--yes');
    const { id: next } = await json<KeyRow>(...create, '--origin', 'https://b.example');
    expect(await json('quota', 'show', 'Front page')).toHaveLength(2);
    expect(await json('keys', 'show', 'Front page')).toMatchObject({ id: next });
    expect((await run('keys', 'show', 'Back page')).stderr).toBe(
      'error: There is no API key with the name Back page. To list them, run `pets-gateway keys list`.\n',
    );
  });

  test('rotate, revoke', async () => {
    const key = await json<KeyRow>('keys', 'create', '--role', 'admin');
    const rotated = await json<KeyRow>('keys', 'rotate', key.id, '--overlap', '0');
    expect(rotated.id).toBe(key.id);
    expect(rotated.secret).not.toBe(key.secret);
    const asked = await run('keys', 'revoke', key.id);
    expect([asked.code, asked.stdout, asked.stderr]).toEqual([
      2,
      '',
      'error: --yes: standard input is not a terminal, so nobody can confirm. Add this option to go on without confirmation\n',
    ]);
    expect(await json('keys', 'show', key.id)).toMatchObject({ state: 'active' });
    await json('keys', 'rotate', key.id, '--overlap', '3600');
    const endsAt = expect.stringMatching(/Z$/) as unknown;
    expect(await json('keys', 'show', key.id)).toMatchObject({ oldSecretExpiresAt: endsAt });
    expect(await json('keys', 'revoke', key.id, '--yes')).toMatchObject({ id: key.id, state: 'revoked' });
    expect(await json('keys', 'show', key.id)).toMatchObject({ oldSecretExpiresAt: null });
    const again = await run('keys', 'rotate', key.id);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('is revoked');
  });

  test('disable and enable, as often as you like', async () => {
    const { id } = await json<KeyRow>('keys', 'create', '--role', 'admin', '--name', 'Night shift');
    const state = async () => {
      const { state, disabledAt } = await json<{ state: string; disabledAt: string | null }>(
        'keys',
        'show',
        id,
      );
      return [state, disabledAt];
    };
    for (let i = 0; i < 2; i++) {
      expect(await json('keys', 'disable', 'Night shift')).toMatchObject({ id, state: 'disabled' });
      expect(await state()).toEqual(['disabled', expect.any(String)]);
    }
    expect(await json('keys', 'enable', id)).toMatchObject({ id, state: 'active' });
    expect(await state()).toEqual(['active', null]);
    expect((await run('keys', 'disable', 'key_none')).stderr).toContain(
      'There is no API key with the id key_none.',
    );
  });

  test('an expired key gets no new secret before it gets a later expiry', async () => {
    const expiresAt = new Date('2026-01-02T03:04:05.000Z');
    const { id } = await json<KeyRow>('keys', 'create', '--role', 'admin');
    const connection = await rawDatabase({ databaseName: database.dbName });
    await connection.collection<{ _id: string }>('apiKeys').updateOne({ _id: id }, { $set: { expiresAt } });
    await connection.close();
    expect(await run('keys', 'rotate', id)).toEqual({
      code: 1,
      stdout: '',
      stderr:
        `error: The API key ${id} expired on ${expiresAt.toISOString()}, and so would a new secret. Set a later expiry ` +
        'first (updateApiKey with expiresAt, or `pets-gateway keys update --expires`), then rotate the key.\n',
    });
    await json('keys', 'update', id, '--expires', '2099-01-01');
    expect(await json<KeyRow>('keys', 'rotate', id)).toMatchObject({ id, state: 'active' });
  });

  describe('wherever the command runs', () => {
    const EXPIRES = [
      ['2030-07-31', '2030-07-31T00:00:00.000Z'],
      ['2030-07-31T12:00', '2030-07-31T12:00:00.000Z'],
      ['2030-07-31 12:00:00', '2030-07-31T12:00:00.000Z'],
      ['2030-07-31T12:00:00Z', '2030-07-31T12:00:00.000Z'],
      ['2030-07-31T12:00:00+02:00', '2030-07-31T10:00:00.000Z'],
    ] as const;
    let printed: (string | undefined)[];
    // All in one process: to start it takes a second.
    beforeAll(async () => {
      const program = [
        ...['--require', join(__dirname, '../support/register-typescript.cjs')],
        join(__dirname, '../support/cli-process.cjs'),
      ];
      const commands = EXPIRES.map(([text]) => ['keys', 'create', '--role', 'admin', '--expires', text]);
      const args = commands.flatMap((command) => ['--then', ...command]).slice(1);
      const { stdout } = await promisify(execFile)(process.execPath, [...program, database.uri, ...args], {
        env: { ...process.env, TZ: 'America/New_York', FORCE_COLOR: '0' },
      });
      printed = [...stdout.matchAll(/^expires +(\S+) \(/gm)].map(([, expires]) => expires);
    });

    test.each(EXPIRES.map((row, i) => [...row, i] as const))('--expires %s is %s', (_text, expiresAt, i) => {
      expect(printed).toHaveLength(EXPIRES.length);
      expect(printed[i]).toBe(expiresAt);
    });
  });
});

describe('quota', () => {
  test('show, reset, unban', async () => {
    const { id: projectId } = await project();
    const { id } = await json<KeyRow>('keys', 'create', '--project', projectId);
    const all = { plan: 'free', used: 0, resetAt: null, strikes: 0, strikesLeft: 11, bannedUntil: null };
    const untouched = [
      { ...all, window: 'minute', limit: 60, remaining: 60 },
      { ...all, window: 'day', limit: 1000, remaining: 1000 },
    ];
    expect(await json<QuotaRow[]>('quota', 'show', id)).toEqual(untouched);
    expect(await json('quota', 'reset', id, 'day')).toEqual(untouched);
    expect(await json('quota', 'reset', id)).toEqual(untouched);
    expect(await json('quota', 'unban', id)).toEqual(
      untouched.map((row) => ({ ...row, wasBanned: false, state: 'active' })),
    );
  });
});
