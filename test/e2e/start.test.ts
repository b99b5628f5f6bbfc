import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chooseFreePort } from '../../src/mongo/free-port.js';
import { failGatewayProcess, startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { testMongod } from '../support/mongod.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const running: GatewayProcess[] = [];
// Before the folder goes: hooks run in the order they are named.
afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway.stop()));
});
const folder = useTemporaryFolder();
let env: Record<string, string>;

beforeEach(async () => {
  env = { DATA_DIR: join(folder(), 'data'), MONGODB_URI: '', MONGOD_BINARY: await testMongod() };
});

async function start(more: Record<string, string> = {}): Promise<GatewayProcess> {
  const gateway = await startGatewayProcess({ ...env, ...more });
  running.push(gateway);
  return gateway;
}

function printedKey(gateway: GatewayProcess, name: 'Demo key' | 'Admin key'): string {
  const [line = ''] = gateway
    .output()
    .split('\n')
    .filter((text) => text.includes(name));
  return line.trim().split(/ +/).at(-1) ?? '';
}

function mongodPid(): number {
  return (JSON.parse(readFileSync(join(env['DATA_DIR'] ?? '', 'mongod.json'), 'utf8')) as { pid: number })
    .pid;
}

/** A process that has ended, but that nobody has asked about yet, is a zombie: it holds nothing any more. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = `/proc/${pid}/stat`;
    return !existsSync(stat) || !/\) [ZX] /.test(readFileSync(stat, 'utf8'));
  } catch {
    return false;
  }
}

async function create(gateway: GatewayProcess, key: string, name: string): Promise<string | undefined> {
  const response = await fetch(`${gateway.url}/v1/pets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, categoryId: 1 }),
  }).catch(() => undefined);
  return response?.status === 201 ? ((await response.json()) as { name: string }).name : undefined;
}

async function namesOf(gateway: GatewayProcess, key: string): Promise<Set<string>> {
  const names = new Set<string>();
  let path: string | undefined = '/v1/pets?limit=100';
  while (path !== undefined) {
    const response: Response = await fetch(gateway.url + path, {
      headers: { authorization: `Bearer ${key}` },
    });
    for (const { name } of (await response.json()) as { name: string }[]) names.add(name);
    path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
  }
  return names;
}

describe('the first start on an empty DATA_DIR', () => {
  test('prints both keys once; a second start finds keys and pets, and prints none', async () => {
    const first = await start();
    const demo = printedKey(first, 'Demo key');
    expect(demo).toMatch(/^pets_live_\w{38}$/);
    expect(await namesOf(first, demo)).toHaveProperty('size', 30);
    expect(await first.stop()).toBe(0);

    const second = await start();
    expect(second.output()).not.toContain('pets_live_');
    expect(await namesOf(second, demo)).toHaveProperty('size', 30);
  }, 60_000);

  test('SEED_DEMO=0 and ADMIN_API_KEY: no demo, no key printed, and the configured one is an admin', async () => {
    const gateway = await start({ SEED_DEMO: '0', ADMIN_API_KEY: 'an-admin-key-of-my-own-choosing' });
    expect(gateway.output()).not.toContain('pets_live_');
    expect(await namesOf(gateway, 'an-admin-key-of-my-own-choosing')).toHaveProperty('size', 0);
  }, 60_000);

  test('APP_ENV=staging: keys begin with pets_test_', async () => {
    expect(printedKey(await start({ APP_ENV: 'staging' }), 'Demo key')).toMatch(/^pets_test_/);
  }, 60_000);
});

describe('what cannot be started', () => {
  test('a second gateway on the same DATA_DIR: exit 1, naming the directory and who has it; the first goes on', async () => {
    const first = await start();
    const { code, output } = await failGatewayProcess(env);
    expect(code).toBe(1);
    expect(output).toContain(`${env['DATA_DIR'] ?? ''} is in use by another gateway (process ${first.pid})`);
    expect((await fetch(`${first.url}/health/ready`)).status).toBe(200);
  }, 60_000);

  test('a taken port: exit 1, naming it, and no data is touched', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { code, output } = await failGatewayProcess({ ...env, PORT: String(port) });
    other.close();
    expect(code).toBe(1);
    expect(output).toContain(`cannot listen on 127.0.0.1:${port}: another program uses it`);
    expect(existsSync(env['DATA_DIR'] ?? '')).toBe(false);
  });

  test('an unreachable MongoDB: exit 1, naming it without its password', async () => {
    const uri = `mongodb://user:hunter2@127.0.0.1:${await chooseFreePort()}/?replicaSet=rs0`;
    const { code, output } = await failGatewayProcess({ ...env, MONGODB_URI: uri });
    expect(code).toBe(1);
    expect(output).toContain('cannot connect to MongoDB at mongodb://user:***@127.0.0.1');
    expect(output).not.toContain('hunter2');
  }, 60_000);

  test('a standalone MongoDB: exit 1, saying what is needed', async () => {
    const port = await chooseFreePort();
    const dbPath = join(folder(), 'standalone');
    await mkdir(dbPath);
    const args = ['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1'];
    const mongod = spawn(env['MONGOD_BINARY'] ?? '', args, { stdio: 'ignore' });
    try {
      const { code, output } = await failGatewayProcess({
        ...env,
        MONGODB_URI: `mongodb://127.0.0.1:${port}`,
      });
      expect(code).toBe(1);
      expect(output).toContain('is a standalone server; the gateway needs a replica set');
    } finally {
      const exited = once(mongod, 'exit');
      mongod.kill('SIGTERM');
      await exited;
    }
  }, 60_000);

  test('bad settings: exit 2, one message that names them all', async () => {
    const { code, output } = await failGatewayProcess({ ...env, PORT: 'x', LOG_LEVEL: 'loud' });
    expect(code).toBe(2);
    expect(output).toMatch(/PORT must be[^]*LOG_LEVEL must be/);
  });
});

describe('the end', () => {
  test('SIGTERM before it is ready: exit 0 at once, whatever the start is waiting for', async () => {
    // Takes connections and never answers.
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const gatewayPort = await chooseFreePort();
    const uri = `mongodb://127.0.0.1:${port}/?replicaSet=rs0`;
    const ended = failGatewayProcess(
      { ...env, MONGODB_URI: uri, PORT: String(gatewayPort), LOG_LEVEL: 'info' },
      'SIGTERM',
    );
    const { code, output } = await ended;
    silent.close();
    expect(code).toBe(0);
    expect(output).toContain('stopped before it was ready');
  });

  test('SIGTERM: a request under way is answered, exit 0, and mongod is gone', async () => {
    const gateway = await start();
    const key = printedKey(gateway, 'Demo key');
    const pid = mongodPid();
    const underWay = Promise.all(Array.from({ length: 20 }, (_, i) => create(gateway, key, `last ${i}`)));
    // One is answered, so all are on their way.
    await create(gateway, key, 'first');
    const code = await gateway.stop();
    expect(code).toBe(0);
    expect((await underWay).filter((name) => name !== undefined)).toHaveLength(20);
    expect(isRunning(pid)).toBe(false);
  }, 60_000);

  test.each(['the gateway', 'mongod', 'both'] as const)(
    'kill -9 of %s amid creates: the next start has every acknowledged pet, and one mongod',
    async (victim) => {
      const gateway = await start({ SEED_DEMO: '0', ADMIN_API_KEY: 'an-admin-key-of-my-own-choosing' });
      const key = 'an-admin-key-of-my-own-choosing';
      const pid = mongodPid();
      const acknowledged: string[] = [];
      let killed = false;
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let i = 0; !killed; i++) {
          const name = await create(gateway, key, `${writer}-${i}`);
          if (name !== undefined) acknowledged.push(name);
        }
      });
      await until('a hundred creates', () => Promise.resolve(acknowledged.length > 100));
      if (victim !== 'the gateway') process.kill(pid, 'SIGKILL');
      if (victim !== 'mongod') await gateway.stop('SIGKILL');
      killed = true;
      await Promise.all(writers);
      // Without its database the gateway ends by itself, and says so.
      if (victim === 'mongod') expect(await gateway.stop()).toBe(1);

      const next = await start({ SEED_DEMO: '0', ADMIN_API_KEY: key });
      const names = await namesOf(next, key);
      expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
      expect(isRunning(pid)).toBe(false);
    },
    90_000,
  );
});

test('the command line joins a running gateway of the same DATA_DIR, and a revocation holds at once', async () => {
  const gateway = await start();
  const demo = printedKey(gateway, 'Demo key');
  const run = promisify(execFile);
  const cli = async (...args: string[]) => {
    const { stdout } = await run(
      process.execPath,
      [join(__dirname, '../../bin/pets-gateway.js'), ...args, '--json'],
      {
        env: { ...process.env, ...env },
      },
    );
    return JSON.parse(stdout) as unknown;
  };
  const keys = (await cli('keys', 'list')) as { id: string; name: string }[];
  const id = keys.find(({ name }) => name === 'Demo key')?.id ?? '';
  expect(await cli('keys', 'revoke', id)).toMatchObject({ id, state: 'revoked' });
  const headers = { authorization: `Bearer ${demo}` };
  await until('401', async () => (await fetch(`${gateway.url}/v1/pets`, { headers })).status === 401);
}, 60_000);
