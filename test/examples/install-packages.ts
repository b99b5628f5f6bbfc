import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from '../support/run-program.js';

export const ROOT = join(__dirname, '../..');
export const EXAMPLES = join(ROOT, 'examples');

/** Installs the packages of a folder from its lock, unless they are installed as the lock says. */
export async function installPackages(folder: string): Promise<void> {
  const [installedMs, lockMs] = await Promise.all(
    ['node_modules/.package-lock.json', 'package-lock.json'].map((name) => changedMs(join(folder, name))),
  );
  if (installedMs !== undefined && lockMs !== undefined && installedMs >= lockMs) return;
  await mustRun('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder });
}

async function changedMs(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}
