import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../support/command-line.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const folder = useTemporaryFolder();
const NO_DATABASE = { uri: 'mongodb://127.0.0.1:1/pets' };

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout, stderr } = await runCommand(NO_DATABASE, ['completion', shell]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const path = join(folder(), `completion.${shell}`);
  writeFileSync(path, stdout);
  return path;
}

function sh(shell: string, ...args: string[]): string[] {
  const { status, stdout, stderr } = spawnSync(shell, args, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return stdout.split(/\s+/).filter(Boolean);
}

/** For each shell: what it offers for the last of the words. */
const COMPLETE: Record<string, (script: string, words: readonly string[]) => string[]> = {
  bash: (script, words) =>
    sh(
      'bash',
      '--norc',
      '-c',
      'source "$1"; shift; COMP_WORDS=(pets-gateway "$@"); COMP_CWORD=$#; _pets_gateway; echo "${COMPREPLY[@]}"',
      'bash',
      script,
      ...words,
    ),
  // The builtins of zle need a terminal: _describe stands in, which gets what zsh would show.
  zsh: (script, words) =>
    sh(
      'zsh',
      '-f',
      '-c',
      'compdef() { }; _describe() { print -l -- "${(@P)2%%:*}" }; _files() { }; source "$1"; shift; words=(pets-gateway "$@"); CURRENT=$#words; _pets_gateway',
      'zsh',
      script,
      ...words,
    ).filter((word) => word.startsWith(words.at(-1) ?? '')),
  fish: (script, words) =>
    sh(
      'fish',
      '--no-config',
      '-c',
      'source $argv[1]; complete -C "pets-gateway $argv[2]" | cut -f1',
      script,
      words.join(' '),
    ),
};
/** bash is on every system that runs the tests; the others are tried where they are. */
const SHELLS = Object.keys(COMPLETE).filter(
  (shell) => shell === 'bash' || spawnSync(shell, ['--version']).status === 0,
);

describe.each(SHELLS)('%s completes', (shell) => {
  const complete = async (...words: string[]) =>
    COMPLETE[shell]?.(await scriptFor(shell), words).sort() ?? [];

  test.each([
    [['ke'], ['keys']],
    [
      ['keys', 'r'],
      ['revoke', 'rotate'],
    ],
    [['keys', 'create', '--ro'], ['--role']],
    [
      ['keys', 'create', '--role', ''],
      ['admin', 'browser', 'owner', 'server'],
    ],
    [['--json', 'projects', 'create', 'Shop', '--plan', 'e'], ['enterprise']],
    [['quota', 'reset', 'key_a', 'm'], ['minute']],
    [['completion', 'b'], ['bash']],
    [['pets', 'u'], ['update']],
    [
      ['pets', 'export', '--format', ''],
      ['csv', 'ndjson'],
    ],
    [['pets', 'update', '1', '--if-status', 'a'], ['available']],
    [
      ['domains', 're'],
      ['redirect', 'redirects', 'remove'],
    ],
  ])('%j', async (words, expected) => {
    expect(await complete(...words)).toEqual(expected);
  });
});

test.each(['bash', 'zsh', 'fish'])('%s: every command is in the script', async (shell) => {
  const { stdout } = await runCommand(NO_DATABASE, ['completion', shell]);
  for (const command of ['keys rotate', 'domains unredirect', 'pets import', 'schema', 'open'])
    expect(stdout).toContain(command);
});

test('another shell is wrong usage', async () => {
  expect((await runCommand(NO_DATABASE, ['completion', 'tcsh'])).code).toBe(2);
});
