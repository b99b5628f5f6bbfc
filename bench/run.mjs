/**
 * What `npm run bench` and the commands named after it, such as `npm run bench:scale`, run: builds when needed, provides the programs
 * that npm does not bring, then bench/main.ts or that of the folder. `-- --help` prints the options.
 */
import { createRequire } from 'node:module';
import { ensureTools } from '../scripts/tools.mjs';
import { parts } from '../test/support/parts.mjs';
import { provideEach } from '../test/support/provide-parts.mjs';

const require = createRequire(import.meta.url);

const COMPARISON = { load: () => require('./main.ts'), needs: ['mongod', 'redis-server', 'wrk'] };
const OTHERS = {
  scale: { load: () => require('./scale/main.ts'), needs: ['mongod', 'wrk'] },
  import: { load: () => require('./import/main.ts'), needs: ['mongod'] },
  followers: { load: () => require('./followers/main.ts'), needs: ['mongod', 'wrk'] },
  propagation: { load: () => require('./propagation/main.ts'), needs: ['mongod', 'wrk'] },
  files: {
    load: () => require('./files/main.ts'),
    needs: ['mongod', 'wrk'],
    usesIfPresent: ['nginx'],
    packages: ['../test'],
  },
  changes: { load: () => require('./changes/main.ts'), needs: ['mongod', 'wrk'] },
  http2: { load: () => require('./http2/main.ts'), needs: ['mongod'] },
  dashboard: {
    load: () => require('./dashboard/main.ts'),
    needs: ['mongod', 'chromium'],
    packages: ['../test'],
  },
  profile: { load: () => require('./profile/main.ts'), needs: ['mongod', 'wrk'] },
  limiter: { load: () => require('./limiter/main.ts'), needs: ['mongod', 'redis-server'] },
  workers: { load: () => require('./workers/main.ts'), needs: ['mongod', 'redis-server', 'wrk'] },
  domains: { load: () => require('./domains/main.ts'), needs: ['mongod', 'knot'] },
};

async function run() {
  const [program, ...rest] = process.argv.slice(2);
  const other = OTHERS[program];
  const [bench, args] = other === undefined ? [COMPARISON, process.argv.slice(2)] : [other, rest];
  // Express, Apollo and Parse Server each look at it when they are loaded.
  process.env.NODE_ENV = 'production';
  require('../bin/build-if-stale.cjs').buildIfStale();
  const { env, missing } = await provideEach(parts.filter(({ name }) => bench.needs.includes(name)));
  if (missing.length > 0) throw new Error(missing.join('\n'));
  const others = await provideEach(parts.filter(({ name }) => bench.usesIfPresent?.includes(name)));
  for (const line of others.missing) console.error(line);
  Object.assign(process.env, env, others.env);
  bench.packages?.forEach((name) => ensureTools(name));
  require('../test/support/register-typescript.cjs');
  return bench.load().main(args);
}

process.exitCode = await run().catch((error) => {
  console.error(error.message);
  return 1;
});
