import { homedir } from 'node:os';
import { join } from 'node:path';
import { provideMongod } from '../../src/platform/mongod/mongod-binary.js';

/** The mongod of the run: test/run.mjs has provided it; a Jest started by hand looks for one in the same way. */
export async function testMongod(): Promise<string> {
  const given = process.env['MONGOD_BINARY'];
  return provideMongod({
    ...(given === undefined ? {} : { given }),
    cacheDir: join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'pets-gateway'),
    path: process.env['PATH'] ?? '',
    progress: (line) => process.stderr.write(`${line}\n`),
  });
}
