import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { chooseFreePort } from '../support/free-port.js';
import { readmeCommands } from '../support/readme.js';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'readme-'));
const clone = join(folder, 'clone');

// As on a machine that never saw the gateway: nothing of this run's settings.
const { PATH, HOME } = process.env;
const env: Record<string, string> = { PATH: PATH ?? '', HOME: HOME ?? '' };

let start: ChildProcess;
let printed = '';
/** Those of the README, then those of the page that continues it. */
const commands = () =>
  ['README.md', 'docs/quickstart.md'].flatMap((name) => readmeCommands(join(clone, name)));

beforeAll(async () => {
  await run('git', ['clone', '--quiet', resolve(__dirname, '../..'), clone]);
  Object.assign(env, { CACHE_DIR: `${clone}-cache`, PORT: String(await chooseFreePort()) });
  const [first] = commands();
  expect(first?.text).toBe('npm install && npm start');
  await untilStarted('npm install && npm start');
});

afterAll(() => {
  if (start.exitCode === null && start.signalCode === null) process.kill(-(start.pid ?? 0), 'SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('the README, pasted from top to bottom into a fresh clone with an empty cache, then the quickstart', async () => {
  await printedCurl();
  await firstRequests();
  await quotaRunningOut();
  await resetAndUpgrade();
  await firstPet();
  await adoption();
  await firstAdminQuery();
  await ctrlC();
});

async function untilStarted(command: string): Promise<void> {
  start = spawn('bash', ['-c', command], {
    cwd: clone,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  start.stdout?.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  start.stderr?.on('data', (bytes: Buffer) => (printed += bytes.toString()));
  const ended = once(start, 'exit');
  while (!printed.includes('Try it:')) {
    const over = await Promise.race([ended, once(start.stdout ?? start, 'data').then(() => undefined)]);
    if (over !== undefined) throw new Error(`${command} ended:\n${printed}`);
  }
}

/** Pastes the commands under a heading, all or those that `isPasted` chooses, into a shell, after the keys that the first start printed. */
async function paste(heading: string, isPasted = (_text: string) => true): Promise<string[]> {
  const keys = commands().find(({ text }) => text.startsWith('export API_KEY='))?.text ?? '';
  const outputs: string[] = [];
  for (const { text } of commands().filter(
    (command) => command.heading === heading && isPasted(command.text),
  )) {
    const script = `set -euo pipefail\n${withPrintedKeys(keys)}\n${text}`.replaceAll(
      ':3000',
      `:${env['PORT'] ?? ''}`,
    );
    const { stdout } = await run('bash', ['-c', script], { cwd: clone, env });
    outputs.push(stdout);
  }
  return outputs;
}

function withPrintedKeys(exports: string): string {
  const demo = /Demo key +(\S+)/.exec(printed)?.[1] ?? '';
  const admin = /Admin key +(\S+)/.exec(printed)?.[1] ?? '';
  return exports.replace(/API_KEY=\S+/, `API_KEY=${demo}`).replace(/ADMIN_KEY=\S+/, `ADMIN_KEY=${admin}`);
}

/** The printed command shows three pets as a table. */
async function printedCurl(): Promise<void> {
  const line = /^ {2}(curl .*)$/m.exec(printed)?.[1] ?? '';
  const { stdout } = await run('bash', ['-c', line], { env });
  expect(stdout).toMatch(/│ id │ name +│ categoryId │ status/);
  expect(stdout).toMatch(/│ 1 +│ 'Rex' +│ 1 +│ 'available'/);
}

/** Quick start: a list with its quota, then the same pets over GraphQL. */
async function firstRequests(): Promise<void> {
  const [list = '', answer = ''] = await paste('Quick start', (text) => text.startsWith('curl'));
  expect(list).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(list).toMatch(/^X-RateLimit-Remaining: \d+\r$/m);
  expect(list).toMatch(/^Link: <\/v1\/pets\?.*>; rel="next"\r$/m);
  expect(JSON.parse(answer)).toMatchObject({
    data: {
      pets: [{ id: '1', name: 'Rex' }, {}, {}],
      quota: { windows: [{ name: 'minute' }, { name: 'day' }] },
    },
    extensions: { cost: { requested: 2 } },
  });
}

/** A quota running out: 429 with Retry-After. */
async function quotaRunningOut(): Promise<void> {
  const [runOut = ''] = await paste('A quota running out');
  expect(runOut).toMatch(/^ +[1-9]\d* 429$/m);
  expect(runOut).toMatch(/HTTP\/1\.1 429 Too Many Requests/);
  expect(runOut).toMatch(/^Retry-After: \d+\r$/m);
}

/** Reset a quota and change the plan: the same key has all of a larger quota. */
async function resetAndUpgrade(): Promise<void> {
  const [upgraded = ''] = await paste('Reset a quota and change the plan');
  expect(upgraded).toMatch(/pro +minute +300 +0 +300/);
}

/** Add a pet. */
async function firstPet(): Promise<void> {
  const [create = ''] = await paste('Add a pet');
  expect(create).toMatch(/^HTTP\/1\.1 201 Created/);
  expect(create).toContain('{"id":31,"name":"Pixel","categoryId":2,"status":"available"}');
}

/** Read all keys as an admin: the keys with their quotas, over GraphQL and from the command line. */
async function adoption(): Promise<void> {
  const [output = ''] = await paste('Reserve an animal that somebody else wants too');
  const [anna = '', ben = ''] = output.trim().split('\n');
  expect(JSON.parse(anna)).toMatchObject({
    data: { updatePet: { pet: { name: 'Luna', status: 'pending' } } },
  });
  expect(JSON.parse(ben)).toMatchObject({
    errors: [{ extensions: { code: 'precondition_failed', details: { status: 'pending' } } }],
  });
}

async function firstAdminQuery(): Promise<void> {
  const [answer = '', lists = ''] = await paste('Read all keys as an admin');
  const names = (JSON.parse(answer) as KeysAnswer).data.apiKeys.edges.map(({ node }) => node.name);
  expect(names.toSorted()).toEqual(['Demo key', 'First admin key']);
  expect(lists).toMatch(/Demo key +pets_live_/);
  expect(lists).toContain('Demo store');
}

/** Ctrl-C ends it cleanly. */
async function ctrlC(): Promise<void> {
  const exit = once(start, 'exit');
  process.kill(-(start.pid ?? 0), 'SIGINT');
  await exit;
  expect(printed).toContain('"msg":"stopped"');
}

interface KeysAnswer {
  data: { apiKeys: { edges: { node: { name: string } }[] } };
}
