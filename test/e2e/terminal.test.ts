import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { chooseFreePort } from '../support/free-port.js';
import { testMongod } from '../support/mongod.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const GATEWAY = join(__dirname, '../../bin/pets-gateway.js');
const temporary = useTemporaryFolder();
let gateway: ChildProcess;
let printed = '';

/** A first start on a terminal of its own, until the banner is there. */
async function startOnTerminal(more: Record<string, string> = {}): Promise<string> {
  printed = '';
  const port = String(await chooseFreePort());
  // Node shows no colors where CI is set.
  const { NO_COLOR: _none, FORCE_COLOR: _forced, CI: _ci, ...environment } = process.env;
  gateway = spawn(
    'script',
    ['--quiet', '--return', '--command', `"${process.execPath}" "${GATEWAY}" serve`, '/dev/null'],
    {
      env: {
        ...environment,
        DATA_DIR: join(temporary(), 'data'),
        MONGODB_URI: '',
        MONGOD_BINARY: await testMongod(),
        PORT: port,
        TERM: 'xterm-256color',
        ...more,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  gateway.stdout?.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  await until('the banner', () => Promise.resolve(printed.includes('console.table')));
  return `http://127.0.0.1:${port}`;
}

/** Presses Ctrl-C. */
afterEach(async () => {
  const exited = once(gateway, 'exit');
  gateway.stdin?.write('\u0003');
  await exited;
});

/** What stays on the screen: lines that were written over are gone. */
function screen(): string {
  return (
    printed
      .split('\n')
      .map((line) => line.split('\u001b[K').at(-1) ?? '')
      // eslint-disable-next-line no-control-regex -- colors
      .map((line) => line.replace(/\u001b\[[0-9;]*m/g, '').replace(/\r/g, ''))
      .join('\n')
  );
}

test('a first start on a terminal: progress, then the banner alone, then one line for each request', async () => {
  const url = await startOnTerminal();
  expect(printed).toContain('Starting the database');
  const banner = screen();
  expect(banner).not.toMatch(/pid|replica|migration|"level"|Starting|Preparing/);
  expect(banner).toContain('Copy your keys now. They are shown only this once.');
  // eslint-disable-next-line no-control-regex -- a color
  expect(printed).toMatch(/\u001b\[\d+m/);

  const key = /Demo key +(\S+)/.exec(banner)?.[1] ?? '';
  await fetch(`${url}/v1/pets?limit=3`, { headers: { authorization: `Bearer ${key}` } });
  await until('the line of the request', () => Promise.resolve(screen().includes('GET /v1/pets')));
  expect(screen().slice(banner.length).trim()).toMatch(/^\d\d:\d\d:\d\d GET \/v1\/pets 200 [\d.]+ ms$/);
});

test('NO_COLOR: the same without colors', async () => {
  await startOnTerminal({ NO_COLOR: '1' });
  // eslint-disable-next-line no-control-regex -- colors
  expect(printed).not.toMatch(/\u001b\[[0-9;]*m/);
});
