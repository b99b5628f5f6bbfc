import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chooseFreePort } from '../support/free-port.js';
import { failGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { isRunning } from '../support/is-running.js';
import { testMongod } from '../support/mongod.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { createOwnDatabase, createPet, namesOfPets, type OwnDatabase } from './own-database.js';

function printedKey(gateway: GatewayProcess, name: 'Demo key' | 'Admin key'): string {
  const [line = ''] = gateway
    .output()
    .split('\n')
    .filter((text) => text.includes(name));
  return line.trim().split(/ +/).at(-1) ?? '';
}

describe('a gateway that created its own database', () => {
  let database: OwnDatabase;
  let gateway: GatewayProcess;
  beforeAll(async () => {
    database = await createOwnDatabase();
    gateway = await database.start();
  });
  afterAll(() => database.close());

  test('prints both keys, and has the demo pets', async () => {
    const demo = printedKey(gateway, 'Demo key');
    expect(demo).toMatch(/^pets_live_\w{38}$/);
    expect(printedKey(gateway, 'Admin key')).toMatch(/^pets_live_\w{38}$/);
    expect(await namesOfPets(gateway, demo)).toHaveProperty('size', 30);
  });

  test('a second gateway on its DATA_DIR: exit 1, naming the directory and its user; the first keeps running', async () => {
    const { code, output } = await failGatewayProcess(database.env);
    expect(code).toBe(1);
    expect(output).toContain(`${database.dataDir} is in use by another gateway (process ${gateway.pid})`);
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200);
  });

  test('the command line joins it, and a revocation applies at once', async () => {
    const run = promisify(execFile);
    const cli = async <T>(...args: string[]): Promise<T> => {
      const bin = join(__dirname, '../../bin/pets-gateway.js');
      const env = { ...process.env, ...database.env };
      const { stdout } = await run(process.execPath, [bin, ...args, '--json'], { env });
      return JSON.parse(stdout) as T;
    };
    const [project] = await cli<{ id: string }[]>('projects', 'list');
    const { id, secret } = await cli<{ id: string; secret: string }>(
      ...['keys', 'create', '--project', project?.id ?? ''],
    );
    const statusOf = async () =>
      (await fetch(`${gateway.url}/v1/pets`, { headers: { authorization: `Bearer ${secret}` } })).status;
    expect(await statusOf()).toBe(200);
    expect(await cli('keys', 'revoke', id, '--yes')).toMatchObject({ id, state: 'revoked' });
    await until('401', async () => (await statusOf()) === 401);
  });
});

test('SIGTERM: a request under way is answered, exit 0, mongod is gone; a second start finds keys and pets, and prints none', async () => {
  const database = await createOwnDatabase();
  try {
    const first = await database.start({ APP_ENV: 'staging' });
    const key = printedKey(first, 'Demo key');
    // Of an environment that is not production.
    expect(key).toMatch(/^pets_test_/);
    const pid = database.mongodPid();
    const underWay = Promise.all(Array.from({ length: 20 }, (_, i) => createPet(first, key, `last ${i}`)));
    // One is answered, so all are on their way.
    await createPet(first, key, 'first');
    expect(await first.stop()).toBe(0);
    expect((await underWay).filter((name) => name !== undefined)).toHaveLength(20);
    expect(isRunning(pid)).toBe(false);

    const second = await database.start({ APP_ENV: 'staging' });
    expect(second.output()).not.toContain('pets_test_');
    expect(await namesOfPets(second, key)).toHaveProperty('size', 30 + 21);
  } finally {
    await database.close();
  }
});

describe('failed starts', () => {
  const folder = useTemporaryFolder();
  let env: Record<string, string>;
  beforeEach(async () => {
    env = { DATA_DIR: join(folder(), 'data'), MONGODB_URI: '', MONGOD_BINARY: await testMongod() };
  });

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
  });

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
  });

  test('bad settings: exit 2, one message that names them all', async () => {
    const { code, output } = await failGatewayProcess({ ...env, PORT: 'x', LOG_LEVEL: 'loud' });
    expect(code).toBe(2);
    expect(output).toMatch(/PORT must be[^]*LOG_LEVEL must be/);
  });

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
    expect(output).toContain('Stopped before it was ready');
  });
});
