import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from './run-program.js';

const CHECKOUT = join(__dirname, '../..');

/** Brings into a clone of this repository what a commit would take. */
export async function copyUncommitted(clone: string): Promise<void> {
  const filesOf = async (...args: string[]) =>
    (await mustRun('git', [...args, '-z'], { cwd: CHECKOUT })).split('\0').filter((file) => file !== '');
  const changed = await filesOf('diff', '--name-only', '--no-renames', 'HEAD');
  const added = await filesOf('ls-files', '--others', '--exclude-standard');
  for (const file of [...changed, ...added])
    if (existsSync(join(CHECKOUT, file))) await cp(join(CHECKOUT, file), join(clone, file));
    else await rm(join(clone, file));
}
