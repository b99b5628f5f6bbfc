/** The command line from its sources, as they are: `node scripts/from-sources.cjs serve`. No types are checked. */
process.setSourceMapsEnabled(true);
require('../test/support/register-typescript.cjs');

// Under scripts/dev.cjs: who owns mongod is gone.
process.channel?.unref();
process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));

void require('../src/cli/main.ts')
  .main(process.argv)
  .then((code) => {
    process.exitCode = code;
  });
