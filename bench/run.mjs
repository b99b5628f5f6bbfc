/**
 * What `npm run bench` runs: builds when needed, provides the programs that npm does not bring, then bench/main.ts.
 * `npm run bench -- --help` tells the options.
 */
import { createRequire } from 'node:module';
import { parts } from '../test/support/parts.mjs';
import { provideEach } from '../test/support/provide-parts.mjs';

const NEEDED = ['mongod', 'redis-server', 'wrk'];

const require = createRequire(import.meta.url);

async function run() {
  // Express, Apollo and Parse Server each look at it when they are loaded.
  process.env.NODE_ENV = 'production';
  require('../bin/build-if-stale.cjs').buildIfStale();
  const { env, missing } = await provideEach(parts.filter(({ name }) => NEEDED.includes(name)));
  if (missing.length > 0) throw new Error(missing.join('\n'));
  Object.assign(process.env, env);
  require('../test/support/register-typescript.cjs');
  return require('./main.ts').main(process.argv.slice(2));
}

process.exitCode = await run().catch((error) => {
  console.error(error.message);
  return 1;
});
