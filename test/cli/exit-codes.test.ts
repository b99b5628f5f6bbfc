import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';

const database = freshDatabase();
afterAll(() => database.drop());

const run = (...args: string[]) => runCommand(database, args);

describe('exit 0', () => {
  test.each([
    [['--help'], 'Commands:'],
    [['projects', '--help'], 'create [options] <name>'],
    [['projects', 'create', '--help'], '--per-minute'],
    [['keys', 'create', '--help'], '--role'],
    [['keys', 'rotate', '--help'], '--overlap'],
    [['quota', 'reset', '--help'], '[window]'],
  ])('%j helps', async (args, expected) => {
    const { code, stdout } = await run(...args);
    expect(code).toBe(0);
    expect(stdout).toContain(expected);
    expect(stdout).toContain('--json');
  });
});

test('every command helps, and says what each of its arguments, options and commands is for', async () => {
  const helped: string[] = [];
  async function helpOf(...path: string[]): Promise<void> {
    const { code, stdout } = await run(...path, '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('--json');
    const [usage = '', ...rest] = stdout.split('\n');
    const items = rest.filter((line) => /^ {2}\S/.test(line));
    for (const item of items) expect(item).toMatch(/^ {2}\S.* {2,}\S/);
    for (const [, name = ''] of usage.replace(/\[(options|command)\]/g, '').matchAll(/[<[](\w+)[>\]]/g))
      expect(items.map((item) => item.trim().split(' ')[0])).toContain(name);
    helped.push(path.join(' '));
    const [, commands = ''] = stdout.split('\nCommands:\n');
    for (const [, name = ''] of commands.matchAll(/^ {2}([a-z]+)/gm))
      if (name !== 'help') await helpOf(...path, name);
  }
  await helpOf();
  expect(helped).toEqual(
    expect.arrayContaining(['keys rotate', 'domains redirect', 'pets import', 'doctor']),
  );
});

describe('exit 1: could not be done', () => {
  test.each([
    [['projects', 'plan', 'proj_none', 'pro'], 'There is no project with the id proj_none.'],
    [['projects', 'plan', 'none', 'pro'], 'There is no project with the slug none'],
    [['keys', 'list', '--project', 'proj_none'], 'There is no project with the id proj_none.'],
    [['keys', 'create', '--project', 'proj_none'], 'There is no project with the id proj_none.'],
    [['keys', 'rotate', 'key_none'], 'There is no API key with the id key_none.'],
    [['keys', 'revoke', 'key_none'], 'There is no API key with the id key_none.'],
    [['quota', 'show', 'key_none'], 'There is no API key with the id key_none.'],
    [['quota', 'reset', 'key_none'], 'There is no API key with the id key_none.'],
    [['quota', 'unban', 'key_none'], 'There is no API key with the id key_none.'],
  ])('%j', async (args, expected) => {
    const { code, stdout, stderr } = await run(...args, '--json');
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(expected);
  });
});

describe('exit 2: wrong usage or a bad setting', () => {
  test.each([
    [[]],
    [['fly']],
    [['projects']],
    [['projects', 'fly']],
    [['projects', 'create']],
    [['projects', 'create', 'Shop', '--plan', 'gold']],
    [['projects', 'create', 'Shop', '--per-minute', 'many', '--plan', 'enterprise']],
    [['projects', 'create', 'Shop', '--plan', 'enterprise']],
    [['projects', 'create', 'Shop', '--plan', 'enterprise', '--per-minute', '5']],
    [['projects', 'create', 'Shop', '--per-minute', '5', '--per-day', '5']],
    [['projects', 'create', '  ']],
    [['keys', 'create']],
    [['keys', 'create', '--role', 'king']],
    [['keys', 'create', '--role', 'admin', '--project', 'proj_a']],
    [['keys', 'create', '--role', 'admin', '--expires', 'tomorrow']],
    [['keys', 'create', '--role', 'admin', '--expires', '2020-01-01']],
    [['keys', 'create', '--role', 'admin', '--expires', '2099-02-30']],
    [['keys', 'rotate', 'key_a', '--overlap', '-1']],
    [['keys', 'rotate', 'key_a', '--overlap', '604801']],
    [['projects', 'list', '--limit', 'x']],
    [['keys', 'list', '--limit', '0']],
    [['quota', 'reset', 'key_a', 'hour']],
    [['quota', 'show', 'key_a', 'key_b']],
    [['quota', 'show', '--fast', 'key_a']],
  ])('%j', async (args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
  });

  test('a bad setting names every fault', async () => {
    const { code, stderr } = await runCommand(database, ['projects', 'list'], {
      PORT: 'x',
      WORKERS: '1',
      APP_ENV: 'moon',
    });
    expect(code).toBe(2);
    expect(stderr).toContain('PORT');
    expect(stderr).toContain('APP_ENV');
  });
});
