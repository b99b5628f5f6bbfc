import { cp, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describeReadme } from '../contract/readme.js';
import { copyUncommitted } from '../support/copy-uncommitted.js';
import { testMongod } from '../support/mongod.js';

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
