import { spawnSync } from 'node:child_process';
import { mkdtemp, open, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  folder: string;
  /** Takes all the room that is left. */
  fill(): Promise<void>;
  /** Gives back the room that `fill` took. */
  makeRoom(): Promise<void>;
  remove(): Promise<void>;
}

const MEBIBYTE = 1024 * 1024;

/** A file system of its own, in memory. @throws Error saying why, where it cannot be mounted: only root may */
export async function mountSmallDisk(sizeMb: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-disk-'));
  run('mount', '-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'pets-gateway-test', folder);
  const ballast = join(folder, 'ballast');
  return {
    folder,
    async fill() {
      const file = await open(ballast, 'w');
      try {
        for (const bytes of [MEBIBYTE, 4096]) await writeUntilFull(file, Buffer.alloc(bytes));
      } finally {
        await file.close();
      }
    },
    makeRoom: () => rm(ballast, { force: true }),
    async remove() {
      run('umount', folder);
      await rmdir(folder);
    },
  };
}

async function writeUntilFull(file: Awaited<ReturnType<typeof open>>, block: Buffer): Promise<void> {
  try {
    for (;;) await file.write(block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

function run(program: string, ...args: string[]): void {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`a disk that fills up cannot be made here: ${program}: ${error?.message ?? stderr}`);
}
