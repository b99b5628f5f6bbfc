import { mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from './is-running.js';

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 4 * 1024 ** 3;
const NAME = /^pets-gateway-test-run-(\d+)-/;

/**
 * A folder for what a run of the tests keeps, in memory where there is room for it: every acknowledged write waits for
 * the disk, and the tests make tens of thousands. What outlives a crash is tested with folders on the disk.
 */
export async function makeRunFolder(): Promise<string> {
  const parent = (await hasRoom()) ? IN_MEMORY : tmpdir();
  for (const name of await readdir(parent)) {
    const pid = NAME.exec(name)?.[1];
    // Memory that a run left which could not end itself.
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true });
  }
  return mkdtemp(join(parent, `pets-gateway-test-run-${process.pid}-`));
}

async function hasRoom(): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
