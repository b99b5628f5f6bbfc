import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { chooseFreePort } from '../support/free-port.js';
import { testMongod } from '../support/mongod.js';
import { until } from '../support/until.js';

const root = resolve(__dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'dev-'));
const clone = join(folder, 'clone');

let dev: ChildProcess;
let printed = '';
let url: string;
let key: string;

beforeAll(async () => {
  await promisify(execFile)('git', ['clone', '--quiet', root, clone]);
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  const port = await chooseFreePort();
  url = `http://127.0.0.1:${port}`;
  dev = spawn('npm', ['run', 'dev'], {
    cwd: clone,
    env: { ...process.env, PORT: String(port), MONGOD_BINARY: await testMongod() },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [dev.stdout, dev.stderr])
    stream?.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  await until('the banner', () => Promise.resolve(printed.includes('Try it:')));
  key = /Demo key +(\S+)/.exec(printed)?.[1] ?? '';
});
afterAll(() => {
  if (dev.exitCode === null && dev.signalCode === null) process.kill(-(dev.pid ?? 0), 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Undefined while nothing listens. */
const get = (path: string) =>
  fetch(url + path, { headers: { authorization: `Bearer ${key}` } }).catch(() => undefined);
const textAt = async (path: string) => (await get(path))?.text();

function change(file: string, from: string, to: string): void {
  const path = join(clone, file);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}
const untilTextHas = (path: string, part: string) =>
  until(part, async () => (await textAt(path))?.includes(part));

test('a change of the sources applies, data and keys stay, and requests in flight finish', async () => {
  const body = '{"name":"Rex","categoryId":1}';
  const underWay = request(`${url}/v1/pets`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': body.length,
    },
  });
  const answered = once(underWay, 'response');
  underWay.write(body.slice(0, 5));
  await get('/v1/pets');

  change('src/interfaces/rest/paths.ts', 'There is nothing at this path. The', 'Nothing is here. The');
  await until('the stop', () => Promise.resolve(printed.includes('"stopping"')));
  underWay.end(body.slice(5));
  const [answer] = (await answered) as [{ statusCode: number }];
  expect(answer.statusCode).toBe(201);

  await untilTextHas('/v1/nothing', 'Nothing is here.');
  expect(await textAt('/v1/pets?limit=100')).toContain('"Rex"');
});

test('reports code that does not compile, with its place, until the next change fixes it', async () => {
  change('src/features/pets/pet.ts', 'export', 'exporrt');
  await until('the fault', () => Promise.resolve(printed.includes('waiting for a change')));
  expect(printed).toContain('exporrt');
  change('src/features/pets/pet.ts', 'exporrt', 'export');
  await untilTextHas('/v1/nothing', 'Nothing is here.');
});

test('rebuilds the page of the dashboard', async () => {
  change('dashboard/index.html', '<title>', '<title>New: ');
  await untilTextHas('/dashboard', '<title>New: ');
});

test('an error names the line of the source', async () => {
  change(
    'src/interfaces/rest/paths.ts',
    '  const segments =',
    "  if (path !== '') throw new Error('on purpose');\n  const segments =",
  );
  await untilTextHas('/v1/nothing', 'internal_error');
  const line = readFileSync(join(clone, 'src/interfaces/rest/paths.ts'), 'utf8')
    .split('\n')
    .findIndex((text) => text.includes('on purpose'));
  await until('the line', () =>
    Promise.resolve(printed.includes(`src/interfaces/rest/paths.ts:${line + 1}:`)),
  );
});

test('Ctrl-C, which reaches every process of the terminal, ends all of them in good order', async () => {
  // Once nobody holds its outputs any more: npm itself ends at once.
  const ended = once(dev, 'close');
  process.kill(-(dev.pid ?? 0), 'SIGINT');
  await ended;
  expect(printed.trimEnd().split('\n').at(-1)).toContain('"stopped"');
  expect(JSON.parse(readFileSync(join(clone, '.data/mongod.json'), 'utf8'))).toMatchObject({ pid: null });
});
