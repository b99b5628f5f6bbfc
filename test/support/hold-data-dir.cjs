/** Holds the data directory named by its argument until it is killed; says `held`, or why not. */
const { lockDataDir } = require('../../src/platform/mongod/data-dir.ts');

lockDataDir(process.argv[2]).then(
  () => {
    process.stdout.write('held\n');
    process.stdin.resume();
  },
  (error) => process.stdout.write(`${error.name}: ${error.message}\n`),
);
