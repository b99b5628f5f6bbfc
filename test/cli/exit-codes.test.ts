import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../support/command-line.js';
import { freshDatabase } from '../support/database.js';
import { mustRun } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const database = freshDatabase();
afterAll(() => database.drop());

const temporaryFolder = useTemporaryFolder();
const run = (...args: string[]) => runCommand(database, args);

describe('exit 0', () => {
  test.each([
    [['--help'], 'Commands:'],
    [['projects', '--help'], 'create [options] [name]'],
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

test('every command has help that describes its arguments, options and subcommands', async () => {
  const helped: string[] = [];
  async function helpOf(...path: string[]): Promise<void> {
    const { code, stdout } = await run(...path, '--help');
    expect(code).toBe(0);
    expect(stdout).toContain('--json');
    const [usage = '', ...rest] = stdout.split('\n');
    // Not the help of the command above: it would list this command again, and the walk would have no end.
    expect(usage).toContain(['pets-gateway', ...path, '['].join(' '));
    const items = rest.filter((line) => /^ {2}\S/.test(line));
    for (const item of items) expect(item).toMatch(/^ {2}\S.* {2,}\S/);
    for (const [, name = ''] of usage.replace(/\[(options|command)\]/g, '').matchAll(/[<[](\w+)[>\]]/g))
      expect(items.map((item) => item.trim().split(' ')[0])).toContain(name);
    helped.push(path.join(' '));
    const [, commands = ''] = stdout.split('\nCommands:\n');
    for (const [, name = ''] of commands.matchAll(/^ {2}([a-z-]+)/gm))
      if (name !== 'help') await helpOf(...path, name);
  }
  await helpOf();
  expect(helped).toEqual(
    expect.arrayContaining(['keys rotate', 'domains redirect', 'pets import', 'doctor']),
  );
});

const SEE_PROJECTS = ' To list them, run `pets-gateway projects list`.';
const SEE_KEYS = ' To list them, run `pets-gateway keys list`.';

describe('exit 1: the command failed', () => {
  test.each([
    [['projects', 'plan', 'proj_none', 'pro'], 'There is no project with the id proj_none.' + SEE_PROJECTS],
    [['projects', 'plan', 'none', 'pro'], 'There is no project with the slug or name none.' + SEE_PROJECTS],
    [['keys', 'list', '--project', 'proj_none'], 'There is no project with the id proj_none.' + SEE_PROJECTS],
    [
      ['keys', 'create', '--project', 'proj_none'],
      'There is no project with the id proj_none.' + SEE_PROJECTS,
    ],
    [['keys', 'rotate', 'key_none'], 'There is no API key with the id key_none.' + SEE_KEYS],
    [['keys', 'revoke', 'key_none'], 'There is no API key with the id key_none.' + SEE_KEYS],
    [['quota', 'show', 'key_none'], 'There is no API key with the id key_none.' + SEE_KEYS],
    [['quota', 'reset', 'key_none'], 'There is no API key with the id key_none.' + SEE_KEYS],
    [['quota', 'unban', 'key_none'], 'There is no API key with the id key_none.' + SEE_KEYS],
  ])('%j', async (args, expected) => {
    expect(await run(...args, '--json')).toEqual({ code: 1, stdout: '', stderr: `error: ${expected}\n` });
  });

  test('names a file that cannot be opened, and says what to do', async () => {
    const path = join(temporaryFolder(), 'missing', 'pets.ndjson');
    expect(await run('pets', 'export', path)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: ${path}: no such file or directory. Create the folder first, or choose another path.\n`,
    });
  });

  test('names an unreachable MongoDB, and says what to check', async () => {
    const nowhere = { uri: 'mongodb://user:secret@127.0.0.1:1/pets' };
    const { code, stderr } = await runCommand(nowhere, ['keys', 'list']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: cannot connect to MongoDB at mongodb:\/\/user:\*\*\*@127.0.0.1:1\/pets: .*ECONNREFUSED.*\. Check that MongoDB runs, and that MONGODB_URI .*\.\n$/,
    );
  });

  test('names a DATA_DIR that is not a folder, and the setting', async () => {
    const path = join(temporaryFolder(), 'file');
    await writeFile(path, '');
    const { code, stderr } = await runCommand(database, ['keys', 'list'], {
      MONGODB_URI: '',
      DATA_DIR: path,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: The gateway cannot use the data directory .*\/file: it is a file, not a folder\. Set DATA_DIR to .*\. Or set MONGODB_URI to .*\n$/,
    );
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
    expect(stderr.match(/^error: /gm)).toHaveLength(1);
  });

  test.each([
    [['fly'], "unknown command 'fly'\nSee `pets-gateway --help`."],
    [['keys', 'rotate'], "missing required argument 'key'\nSee `pets-gateway keys rotate --help`."],
    [
      ['keys', 'create', '--name', ' ', '--role', 'admin'],
      '--name: must have 1 to 100 characters and no control characters',
    ],
    [['projects', 'create', ' '], 'NAME: must have 1 to 100 characters and no control characters'],
    [
      ['projects', 'create', '--plan', 'pro'],
      'Give the project one name, for example: pets-gateway projects create "Happy Tails"',
    ],
    [
      ['projects', 'create', 'Shop', '--name', 'Other shop'],
      'Give the project one name, for example: pets-gateway projects create "Happy Tails"',
    ],
    [['domains', 'primary'], 'DOMAIN: name a domain or use --platform, one of the two'],
    [
      ['projects', 'create', 'Shop', '--plan', 'enterprise'],
      'The Enterprise plan requires --per-minute and --per-day, for example: --per-minute 5000 --per-day 1000000',
    ],
    [
      ['projects', 'create', 'Shop', '--per-day', '5'],
      'The Free plan has a fixed quota. Remove --per-minute and --per-day, or use the plan enterprise.',
    ],
    [['usage', 'show', 'shop', '--from', '2026-02-01', '--to', '2026-01-01'], '--from: must be before --to'],
  ])('%j reports the mistake in the words of the command line', async (args, expected) => {
    expect((await run(...args)).stderr).toBe(`error: ${expected}\n`);
  });

  test.each([[[]], [['projects']]])('%j shows the commands, and asks for one of them', async (args) => {
    const { stderr } = await run(...args);
    expect(stderr).toContain('Commands:\n');
    expect(stderr).toMatch(/\n\nerror: Choose one of these commands\.\n$/);
  });

  test('a .env that cannot be read counts as a bad setting', async () => {
    const outer = process.cwd();
    await mkdir(join(temporaryFolder(), '.env'));
    process.chdir(temporaryFolder());
    const { code, stderr } = await run('keys', 'list').finally(() => process.chdir(outer));
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^error: Settings .*:\n {2}- \.env cannot be read: /),
    ]);
  });

  test('one message names every bad setting', async () => {
    const { code, stderr } = await runCommand(database, ['projects', 'list'], {
      PORT: 'x',
      WORKERS: '1',
      APP_ENV: 'moon',
    });
    expect(code).toBe(2);
    expect(stderr).toContain('PORT must be a whole number from 0 to 65535');
    expect(stderr).toContain('APP_ENV');
  });
});

describe('standard output', () => {
  const root = join(__dirname, '../..');
  beforeAll(() => mustRun(process.execPath, [join(root, 'bin/build-if-stale.cjs')]), 120_000);

  async function print(
    args: readonly string[],
    stdout: 'pipe' | number,
  ): Promise<{ code: number | null; stderr: string }> {
    const child = spawn(process.execPath, [join(root, 'bin/pets-gateway.js'), ...args], {
      env: { ...process.env, MONGODB_URI: database.uri },
      stdio: ['ignore', stdout, 'pipe'],
    });
    // Nobody reads, as after `| head` has ended.
    child.stdout?.destroy();
    let stderr = '';
    child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    await once(child, 'close');
    return { code: child.exitCode, stderr };
  }

  const printing = [[['schema']], [['pets', 'export']]];
  beforeEach(async () => {
    const pets = join(temporaryFolder(), 'pets.ndjson');
    await writeFile(pets, '{"name":"Pixel","categoryId":1}\n');
    // The first time; then it is known.
    await run('pets', 'import', pets);
  });

  test.each(printing)('a reader that stops early is no error: %j', async (args) => {
    expect(await print(args, 'pipe')).toEqual({ code: 0, stderr: '' });
  });

  test.each(printing)('an output that cannot be written: exit 1, and one message: %j', async (args) => {
    const readOnly = await open('/dev/null', 'r');
    const { code, stderr } = await print(args, readOnly.fd);
    await readOnly.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: standard output takes no more: .*\n$/);
  });
});
