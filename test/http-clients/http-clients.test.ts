import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { HTTP_CLIENTS, testHttpClients } from '../support/http-clients.js';
import { mustRun } from '../support/run-program.js';

/** What docs/http-clients.md says of the clients whose builds take long; test/examples has the others. */

describe('Go', () => {
  const cwd = join(HTTP_CLIENTS, 'go');
  testHttpClients({
    folder: 'go',
    manifest: 'go.mod',
    clients: ['net/http', 'go-retryablehttp', 'resty 2', 'resty 3'],
    defaults: ['target/defaults'],
    programs: [['target/retryablehttp'], ['target/resty2'], ['target/resty3']],
    prepare: () => mustRun('go', ['build', '-o', 'target/', './...'], { cwd, timeoutMs: 600_000 }),
  });
});

describe('Java', () => {
  const cwd = join(HTTP_CLIENTS, 'java');

  async function compile(): Promise<void> {
    const goals = ['compile', 'dependency:build-classpath', '-Dmdep.outputFile=target/packages'];
    await mustRun('mvn', ['--quiet', '--batch-mode', ...goals], { cwd, timeoutMs: 600_000 });
    const packages = await readFile(join(cwd, 'target/packages'), 'utf8');
    await writeFile(join(cwd, 'target/options'), `-cp target/classes:${packages.trim()}\n`);
  }

  testHttpClients({
    folder: 'java',
    manifest: 'pom.xml',
    clients: ['HttpURLConnection', 'java.net.http', 'Apache HttpClient', 'Feign'],
    defaults: ['java', '@target/options', 'Defaults'],
    programs: [
      ['java', '@target/options', 'Apache'],
      ['java', '@target/options', 'FeignClient'],
    ],
    prepare: compile,
  });
});

describe('Rust', () => {
  const cwd = join(HTTP_CLIENTS, 'rust');
  testHttpClients({
    folder: 'rust',
    manifest: 'Cargo.toml',
    clients: ['reqwest', 'reqwest-retry'],
    defaults: ['target/debug/defaults'],
    programs: [['target/debug/patient']],
    prepare: () => mustRun('cargo', ['build', '--quiet', '--locked'], { cwd, timeoutMs: 600_000 }),
  });
});
