import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from './run-program.js';
import { useTemporaryFolder } from './temporary-folder.js';

const folder = useTemporaryFolder();
const root = join(__dirname, '../..');
beforeAll(() => mustRun(process.execPath, [join(root, 'bin/build-if-stale.cjs')]));

/** A program for the shell, in a folder of the PATH that `provide` gives. */
async function program(path: string, script: string): Promise<void> {
  const file = join(folder(), path);
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
}

/** What becomes of Pebble, on a machine that has these programs alone. */
async function provide(): Promise<{ missing: string[]; printed: string }> {
  const script = `
    const { parts } = await import('./test/support/parts.mjs');
    const { provideEach } = await import('./test/support/provide-parts.mjs');
    const { missing } = await provideEach(parts.filter(({ name }) => name === 'pebble'));
    (await import('node:fs')).writeFileSync(process.env.ANSWER, JSON.stringify(missing));`;
  const answer = join(folder(), 'answer.json');
  const env = { PATH: join(folder(), 'system'), XDG_CACHE_HOME: join(folder(), 'cache'), ANSWER: answer };
  const args = ['--input-type=module', '--eval', script];
  const printed = await mustRun(process.execPath, args, { cwd: root, env });
  return { missing: JSON.parse(await readFile(answer, 'utf8')) as string[], printed };
}

const OLD = 'echo "Usage of pebble: -config string -strict" >&2; exit 2';
const NEW = 'echo "Usage of pebble: -config string -dnsserver string -strict" >&2';

test('uses a Pebble with an option for its DNS server', async () => {
  await program('system/pebble', NEW);
  expect(await provide()).toEqual({ missing: [], printed: '' });
});

test('builds its own instead of one without the option, and says why', async () => {
  await program('system/pebble', OLD);
  await program('system/built', NEW);
  await program('system/go', `/bin/mkdir -p "$GOBIN" && /bin/cp "${folder()}/system/built" "$GOBIN/pebble"`);
  const { missing, printed } = await provide();
  expect(missing).toEqual([]);
  expect(printed).toContain(`${folder()}/system/pebble has no option -dnsserver: installing github.com/`);
  // Ahead of the other from now on.
  expect(await provide()).toEqual({ missing: [], printed: '' });
});

test('if that fails, it is missing, with the reason and the command', async () => {
  await program('system/pebble', OLD);
  await program('system/go', 'exit 1');
  const { missing } = await provide();
  expect(missing).toEqual([
    expect.stringMatching(/pebble has no option -dnsserver; .*GOBIN=\S+ go install /),
  ]);
});
