import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../support/is-running.js';
import { until } from '../support/until.js';

const ROOT = join(__dirname, '../..');

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends all that the run has started', async (signal) => {
  // A mongod of its own, as a run has that is not within another one.
  const { TEST_MONGODB_URI: _, ...env } = process.env;
  const args = [join(ROOT, 'test/run.mjs'), '--testMatch=**/test/support/never-ends.ts'];
  const runner = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  runner.stderr.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const exited = once(runner, 'exit');

  const programs = await until('the test to be under way', () => {
    if (runner.exitCode !== null) throw new Error(`It ended:\n${printed}`);
    const [, redis, gateway] = /under way: (\d+) (\d+)/.exec(printed) ?? [];
    return Promise.resolve(gateway !== undefined && [Number(redis), Number(gateway)]);
  });
  const [folder = ''] = (await Promise.all(['/dev/shm', tmpdir()].map(runFolders))).flat();
  const { pid: mongod } = JSON.parse(await readFile(join(folder, 'mongod.json'), 'utf8')) as { pid: number };
  const started = [...programs, mongod];
  expect(started.map(isRunning)).toEqual([true, true, true]);

  runner.kill(signal);
  expect(await exited).toEqual([signal === 'SIGTERM' ? 143 : 130, null]);
  await until('all to be gone', () => Promise.resolve(!started.some(isRunning)));
  expect(await runFolders(join(folder, '..'))).not.toContain(folder);

  /** Of the mongods of runs below this runner. */
  async function runFolders(parent: string): Promise<string[]> {
    const names = await readdir(parent).catch(() => []);
    const folders: string[] = [];
    for (const name of names) {
      const [, jest] = /^pets-gateway-test-run-(\d+)-/.exec(name) ?? [];
      if (jest !== undefined && (await parentOf(jest)) === runner.pid) folders.push(join(parent, name));
    }
    return folders;
  }
});

async function parentOf(pid: string): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return Number(/\) \w (\d+) /.exec(stat)?.[1]);
}
