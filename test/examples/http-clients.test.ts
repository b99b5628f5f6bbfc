import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { HTTP_CLIENTS, testHttpClients, type Command } from '../support/http-clients.js';
import { mustRun } from '../support/run-program.js';
import { installPackages } from './install-packages.js';

/** What docs/http-clients.md says of the clients of JavaScript, Python and the shell; test/http-clients has the others. */
const python = (...files: string[]) => files.map((file): Command => ['.venv/bin/python', file]);
const node = (...files: string[]) => files.map((file): Command => [process.execPath, file]);

describe('JavaScript', () => {
  testHttpClients({
    folder: 'javascript',
    manifest: 'package.json',
    clients: [
      'fetch',
      'ky',
      'got',
      'axios-retry',
      'undici RetryAgent',
      'ofetch',
      'wretch retry()',
      'p-retry',
      'Apollo RetryLink',
      'urql retryExchange',
    ],
    defaults: [process.execPath, 'defaults.mjs'],
    programs: node(
      'fetch.mjs',
      'ky.mjs',
      'got.mjs',
      'axios.mjs',
      'undici.mjs',
      'ofetch.mjs',
      'wretch.mjs',
      'apollo.mjs',
      'urql.mjs',
    ),
    prepare: () => installPackages(join(HTTP_CLIENTS, 'javascript')),
  });
});

describe('Python', () => {
  const cwd = join(HTTP_CLIENTS, 'python');

  async function installPython(): Promise<void> {
    const isThere = await access(join(cwd, '.venv/bin/python')).then(
      () => true,
      () => false,
    );
    if (!isThere) await mustRun('python3', ['-m', 'venv', '.venv'], { cwd });
    await mustRun('.venv/bin/pip', ['install', '--quiet', '--requirement', 'requirements.txt'], { cwd });
  }

  testHttpClients({
    folder: 'python',
    manifest: 'requirements.txt',
    clients: [
      'urllib3',
      'requests',
      'requests with Retry(3)',
      'requests-ratelimiter',
      'httpx',
      'httpx-retries',
    ],
    defaults: ['.venv/bin/python', 'defaults.py'],
    programs: python('requests_retry.py', 'urllib3_pool.py', 'requests_limiter.py', 'httpx_client.py'),
    prepare: installPython,
  });
});

describe('the shell', () => {
  testHttpClients({
    folder: '.',
    clients: ['curl', 'wget'],
    defaults: ['./defaults.sh'],
    programs: [['./curl.sh']],
  });
});
