import { existsSync } from 'node:fs';
import { cp, rm, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describeReadme } from '../contract/readme.js';
import { testMongod } from '../support/mongod.js';
import { mustRun } from '../support/run-program.js';

const CHECKOUT = resolve(__dirname, '../..');

// What `npm install`, the build and the download of mongod bring is there already; test/thorough has them bring it.
describeReadme('the README, pasted from top to bottom into a clone', {
  command: 'npm start',
  async prepare(clone) {
    await copyUncommitted(clone);
    await symlink(join(CHECKOUT, 'node_modules'), join(clone, 'node_modules'));
    await cp(join(CHECKOUT, 'dist'), join(clone, 'dist'), { recursive: true });
    return { MONGOD_BINARY: await testMongod() };
  },
});

/** What a commit would take: dist/ is built from that, and the clone has what is committed. */
async function copyUncommitted(clone: string): Promise<void> {
  const filesOf = async (...args: string[]) =>
    (await mustRun('git', [...args, '-z'], { cwd: CHECKOUT })).split('\0').filter((file) => file !== '');
  const changed = await filesOf('diff', '--name-only', '--no-renames', 'HEAD');
  const added = await filesOf('ls-files', '--others', '--exclude-standard');
  for (const file of [...changed, ...added])
    if (existsSync(join(CHECKOUT, file))) await cp(join(CHECKOUT, file), join(clone, file));
    else await rm(join(clone, file));
}
