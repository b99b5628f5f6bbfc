/** Runs an embedded mongod (arguments: data directory, binary) until it is killed; prints its pid, then its URI. */
const { startEmbeddedMongod } = require('../../src/platform/mongod/embedded-mongod.ts');

process.on('SIGINT', () => process.stdout.write('SIGINT\n'));
startEmbeddedMongod({ dataDir: process.argv[2], binary: process.argv[3] }).then((mongod) => {
  process.stdout.write(`${mongod.pid} ${mongod.uri}\n`);
  process.stdin.resume();
});
