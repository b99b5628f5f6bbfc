import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun, runProgram } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const SCRIPT = join(__dirname, '../../scripts/tools.mjs');
const temporary = useTemporaryFolder();

/** tools/greeting, which depends on a package of the same disk: nothing is downloaded. */
async function writeTool(version: string): Promise<void> {
  const dependencies = { [`greeting-${version}`]: `file:../greeting-${version}` };
  const packed = join(temporary(), `greeting-${version}`);
  await mkdir(packed);
  await writeFile(join(packed, 'package.json'), JSON.stringify({ name: `greeting-${version}`, version }));
  const tool = join(temporary(), 'greeting');
  await mkdir(tool, { recursive: true });
  await writeFile(join(tool, 'package.json'), JSON.stringify({ name: 'tools', private: true, dependencies }));
  await mustRun('npm', ['install', '--package-lock-only', '--offline'], { cwd: tool });
}

function ensure(): Promise<{ code: number | null; output: string }> {
  return runProgram(process.execPath, [SCRIPT, join(temporary(), 'greeting')]);
}

const installed = async (version: string) =>
  JSON.parse(
    await readFile(join(temporary(), `greeting/node_modules/greeting-${version}/package.json`), 'utf8'),
  ) as unknown;

test('installs a tool when it is missing or when its lock file changed, and says so each time', async () => {
  await writeTool('1.0.0');
  const first = await ensure();
  expect(first).toMatchObject({
    code: 0,
    output: expect.stringContaining('Installing the packages of') as string,
  });
  expect(await installed('1.0.0')).toMatchObject({ version: '1.0.0' });
  expect(await ensure()).toEqual({ code: 0, output: '' });

  await writeTool('2.0.0');
  expect((await ensure()).output).toContain('Installing the packages of');
  expect(await installed('2.0.0')).toMatchObject({ version: '2.0.0' });
  await expect(installed('1.0.0')).rejects.toThrow('ENOENT');
});

test('two processes that need the same tool: one installs, the other waits', async () => {
  await writeTool('1.0.0');
  const outputs = (await Promise.all([ensure(), ensure()])).map(({ code, output }) => [code, output]);
  expect(outputs.map(([code]) => code)).toEqual([0, 0]);
  expect(outputs.filter(([, output]) => output !== '')).toHaveLength(1);
});

test('fails when npm fails, and tries again the next time', async () => {
  await writeTool('1.0.0');
  const lock = join(temporary(), 'greeting/package-lock.json');
  const text = await readFile(lock, 'utf8');
  await writeFile(lock, text.replaceAll('greeting-1.0.0', 'greeting-3.0.0'));
  expect(await ensure()).toMatchObject({
    code: 1,
    output: expect.stringContaining('npm ci failed in') as string,
  });
  await writeFile(lock, text);
  expect((await ensure()).code).toBe(0);
});
