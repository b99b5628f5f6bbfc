import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { readConnection, writeConnection } from '../../src/platform/mongod/mongod-connection.js';
import { serves } from '../../src/platform/mongod/mongod-process.js';
import { describeInterruptedSetup } from '../contract/interrupted-setup.js';
import type { ChildProgram } from '../support/child.js';
import { testMongod } from '../support/mongod.js';
import { ids, insert, useEmbedded } from '../support/use-embedded.js';

const embedded = useEmbedded();

async function runningGateway(): Promise<{ child: ChildProgram; pid: number; uri: string }> {
  const child = await embedded.startProcess();
  const [pid = '', uri = ''] = (await child.line()).split(' ');
  return { child, pid: Number(pid), uri };
}

test('an acknowledged write survives kill -9 of mongod', async () => {
  const first = await embedded.start();
  await insert(first.uri, 'acknowledged');
  process.kill(first.pid, 'SIGKILL');
  await expect(first.exited).resolves.toEqual({ code: null, signal: 'SIGKILL' });
  const second = await embedded.start();
  await expect(ids(second.uri)).resolves.toEqual(['acknowledged']);
});

test('after kill -9 of the gateway the next start works, with every acknowledged write', async () => {
  const { child, pid, uri } = await runningGateway();
  await insert(uri, 'acknowledged');
  await child.kill();
  const next = await embedded.start();
  await expect(ids(next.uri)).resolves.toEqual(['acknowledged']);
  await expect(serves(pid, embedded.dbPath())).resolves.toBe(false);
});

test('after kill -9 of both the next start works, with every acknowledged write', async () => {
  const { child, pid, uri } = await runningGateway();
  await insert(uri, 'acknowledged');
  process.kill(pid, 'SIGKILL');
  await child.kill();
  const next = await embedded.start();
  await expect(ids(next.uri)).resolves.toEqual(['acknowledged']);
});

test('a mongod that outlived its gateway is ended first, recorded or not', async () => {
  const first = await embedded.start();
  await first.stop();
  const args = [
    '--dbpath',
    embedded.dbPath(),
    '--port',
    String(first.port),
    '--bind_ip',
    '127.0.0.1',
    '--nounixsocket',
  ];
  const orphan = spawn(await testMongod(), args, { stdio: 'ignore', detached: true });
  const exit = once(orphan, 'exit');
  const lockFile = `${embedded.dbPath()}/mongod.lock`;
  while ((await readFile(lockFile, 'utf8')).trim() !== String(orphan.pid)) await delay(20);
  await embedded.start();
  await expect(exit).resolves.toBeDefined();
  expect(embedded.log()).toContainEqual(
    `Stopped mongod (pid ${orphan.pid ?? 0}), which a previous gateway left running`,
  );
});

test('a process that was given the recorded pid is left alone', async () => {
  await (await embedded.start()).stop();
  const bystander = spawn('sleep', ['3600']);
  try {
    const connection = await readConnection(embedded.dataDir());
    if (connection === undefined) throw new Error('no connection was written');
    await writeConnection(embedded.dataDir(), { ...connection, pid: bystander.pid ?? null });
    await embedded.start();
    expect(bystander.exitCode ?? bystander.signalCode).toBeNull();
  } finally {
    bystander.kill('SIGKILL');
  }
});

test('Ctrl-C in the terminal reaches the gateway and not mongod', async () => {
  const { child, uri } = await runningGateway();
  process.kill(-child.pid, 'SIGINT');
  await expect(child.line()).resolves.toBe('SIGINT');
  await insert(uri, 'after');
  await expect(ids(uri)).resolves.toEqual(['after']);
});

// At more moments: test/thorough.
describeInterruptedSetup(embedded, [150, 300]);
