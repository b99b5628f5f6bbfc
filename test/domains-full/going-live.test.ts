import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { chooseFreePort } from '../support/free-port.js';
import { startKnot, type Knot, type RecordType } from '../support/knot.js';
import { PEBBLE_PROFILE, startPebble, type Pebble } from '../support/pebble.js';
import { readmeCommands } from '../support/readme.js';
import { runProgram } from '../support/run-program.js';
import { tied } from '../support/tied-command.js';
import { until } from '../support/until.js';

/** docs/going-live.md, word for word, on two gateways. Only the addresses of this machine differ. */
const ROOT = join(__dirname, '../..');
const PAGE = join(ROOT, 'docs/going-live.md');
const BIN = join(ROOT, 'bin/pets-gateway.js');

interface Machine {
  folder: string;
  env: Record<string, string>;
  gateway?: ChildProcess;
}

let folder: string;
let knot: Knot;
let pebble: Pebble;
let machines: [Machine, Machine];
const run = randomBytes(4).toString('hex');
const mongoUri = (name: string) => {
  const url = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  url.pathname = `/${name}_${run}`;
  return url.href;
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pets-gateway-going-live-'));
  knot = await startKnot();
  machines = [await createMachine('one'), await createMachine('two')];
  const httpPort = Number(machines[0].env['HTTP_PORT']);
  pebble = await startPebble({ dnsServer: knot.address, httpPort });
  for (const { env } of machines) env['ACME_CA_FILE'] = pebble.files.ca;
  await writeFile(join(folder, 'root.pem'), await pebble.root());
});
afterAll(async () => {
  for (const machine of machines) await stop(machine);
  await pebble.close();
  await knot.close();
  await rm(folder, { recursive: true, force: true });
  for (const name of ['pets_trial', 'pets']) {
    const client = new mongo.MongoClient(mongoUri(name), { runtimeAdapters: { os } });
    await client.db().dropDatabase();
    await client.close();
  }
});

/** A folder with a `.env` and a `npx pets-gateway` of its own. Its ports are not those that visitors see. */
async function createMachine(name: string): Promise<Machine> {
  const own = join(folder, name);
  await mkdir(join(own, 'node_modules/.bin'), { recursive: true });
  await symlink(BIN, join(own, 'node_modules/.bin/pets-gateway'));
  const [port, http, https] = [await chooseFreePort(), await chooseFreePort(), await chooseFreePort()];
  const curl = [`connect-to = ":80:127.0.0.1:${http}"`, `connect-to = ":443:127.0.0.1:${https}"`];
  await writeFile(join(own, '.curlrc'), [...curl, `cacert = "${join(folder, 'root.pem')}"`, ''].join('\n'));
  return {
    folder: own,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: own,
      CURL_HOME: own,
      HOST: '127.0.0.1',
      PORT: String(port),
      HTTP_PORT: String(http),
      HTTPS_PORT: String(https),
      PUBLIC_HTTP_PORT: '80',
      PUBLIC_HTTPS_PORT: '443',
      DNS_SERVERS: knot.address,
      ACME_PROFILE: PEBBLE_PROFILE,
    },
  };
}

/** Commands of a step of the page, such as `3. Write the settings`. */
const commandsOf = (step: string) =>
  readmeCommands(PAGE)
    .filter(({ heading }) => heading.startsWith(`${step}. `))
    .map(({ text }) => text);

/** This machine's addresses in place of those on the internet. What follows `#` in `.env` is a comment. */
const local = (text: string) =>
  text
    .replace('mongodb://db.example.com/pets_trial?replicaSet=rs0', mongoUri('pets_trial'))
    .replace('=letsencrypt-staging', `=${pebble.directoryUrl}#letsencrypt-staging`);

async function paste(machine: Machine, command: string): Promise<string> {
  const script = `set -euo pipefail\n${local(command)}`;
  const { code, output } = await runProgram('env', [
    '-i',
    ...Object.entries(machine.env).map(([name, value]) => `${name}=${value}`),
    'bash',
    '-c',
    `cd ${machine.folder}\n${script}`,
  ]);
  if (code !== 0) throw new Error(`${command}\nended with ${code ?? 'a signal'}:\n${output}`);
  return output;
}

async function start(machine: Machine): Promise<void> {
  const { env, folder: cwd } = machine;
  const child = spawn(...tied(process.execPath, [BIN, 'serve']), { cwd, env, stdio: 'ignore' });
  machine.gateway = child;
  await until('the gateway to be ready', async () => {
    if (child.exitCode !== null) throw new Error(`the gateway ended with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${env['PORT'] ?? ''}/health/ready`).catch(() => undefined);
    return answer?.ok === true;
  });
}

async function stop({ gateway }: Machine): Promise<void> {
  if (gateway?.exitCode !== null) return;
  const ended = once(gateway, 'exit');
  gateway.kill();
  await ended;
}

/** Adds the records of a `dns` block, each as `<name>. <type> <value>`. */
async function addRecords(block: string): Promise<void> {
  const byName = new Map<string, string[]>();
  for (const line of block.trim().split('\n')) {
    const [name = '', type = '', value = ''] = line.split(' ');
    const key = `${name.slice(0, -1)} ${type}`;
    byName.set(key, [...(byName.get(key) ?? []), value.replace(/^203\.0\.113\.\d+$/, '127.0.0.1')]);
  }
  for (const [key, values] of byName) {
    const [name = '', type = ''] = key.split(' ');
    await knot.set(name, type as RecordType, ...new Set(values));
  }
}

/** Pastes a command until its output holds the text, as a reader does who waits. */
const pasteUntil = (machine: Machine, command: string, text: RegExp) =>
  until(String(text), async () => text.test(await paste(machine, command)), 180_000);

async function publishAndAdd(one: Machine, two: Machine, curlOption: 'k' | ''): Promise<void> {
  const [publish = '', list = '', check = ''] = commandsOf('5');
  await paste(one, publish);
  await pasteUntil(one, list, /demo-store\.pets\.example\.net.*https/);
  const trusted = (command: string) => (curlOption === 'k' ? command : command.replace('-skI', '-sI'));
  expect(await paste(two, trusted(check))).toMatch(/^HTTP\/2 200/);

  const [add = '', verify = '', ports = ''] = commandsOf('6');
  const records = await paste(one, add);
  expect(records).toMatch(/CNAME +shop +shop\.example\.org +demo-store\.pets\.example\.net/);
  await addRecords(dnsBlocks[1] ?? '');
  const [ask = '', show = ''] = verify.split('\n');
  await paste(two, ask);
  await pasteUntil(one, show, /status +active/);
  const [http = '', https = ''] = ports.split('\n');
  const redirect = await paste(one, http);
  expect(redirect).toMatch(/^HTTP\/1\.1 301/);
  expect(redirect).toContain('Location: https://shop.example.org/');
  for (const machine of [one, two]) expect(await paste(machine, trusted(https))).toMatch(/^HTTP\/2 200/);
}

let dnsBlocks: string[];

test('the page, from nothing to HTTPS, on two machines', async () => {
  const page = await readFile(PAGE, 'utf8');
  dnsBlocks = Array.from(page.matchAll(/```dns\n([^]*?)```/g), ([, block = '']) => block);
  const [one, two] = machines;
  await addRecords(dnsBlocks[0] ?? '');

  const [settings = ''] = commandsOf('3');
  const doctor = await paste(one, settings);
  expect(doctor).not.toContain('✗');
  expect(doctor).toContain('PLATFORM_HOST: *.pets.example.net leads to');
  await copyFile(join(one.folder, '.env'), join(two.folder, '.env'));
  for (const machine of machines) await start(machine);
  await publishAndAdd(one, two, 'k');

  const [toProduction = '', last = ''] = commandsOf('7');
  await paste(one, toProduction);
  const env = await readFile(join(one.folder, '.env'), 'utf8');
  expect(env).toContain('#letsencrypt\n');
  expect(env).not.toContain('trial');
  await copyFile(join(one.folder, '.env'), join(two.folder, '.env'));
  for (const machine of machines) {
    await stop(machine);
    await start(machine);
  }
  await publishAndAdd(one, two, '');
  expect(await paste(two, last)).toMatch(/^HTTP\/2 200/);
});
