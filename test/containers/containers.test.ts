import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { VERSION } from '../../src/lib/version.js';
import { testMongod } from '../support/mongod.js';
import { mustRun } from '../support/run-program.js';
import { until } from '../support/until.js';
import { graphQL, makeKey, makeProject } from '../thorough/upgrade/records.js';
import { provideBaseImages } from './base-images.js';
import { startDocker, type Docker } from './docker.js';

const ROOT = join(__dirname, '../..');
const PROJECT = `pets-gateway-test-${process.pid}`;
/** Not pets-gateway, which may be there already. */
const IMAGE = `${PROJECT}:current`;
const BEFORE = `${PROJECT}:before`;
const NEXT = `${PROJECT}:next`;
const PATIENCE_MS = 180_000;
const SETUP_MS = 1_500_000;
const LIMIT = 60;
const DAY_MS = 86_400_000;
const NEAR_MIDNIGHT_MS = 120_000;

interface Container {
  Id: string;
  Name: string;
  Image: string;
  State: { Health?: { Status: string }; ExitCode: number; Running: boolean; StartedAt: string };
  Config: { Env: string[]; Labels: Record<string, string>; User: string };
  HostConfig: Record<string, unknown>;
}

/** Sources are in the repository; all that the run writes, and its secrets, are in this folder. */
const folder = mkdtempSync(join(tmpdir(), 'pets-gateway-compose-'));
let docker: Docker;
let releaseBaseImages: (() => Promise<void>) | undefined;
let url = '';

const compose = (...args: string[]) =>
  docker.run(['compose', '--ansi', 'never', ...args], {
    cwd: folder,
    env: { COMPOSE_PROJECT_NAME: PROJECT },
  });
const secret = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8').trim();
const inspect = async (...ids: string[]) => JSON.parse(await docker.run(['inspect', ...ids])) as Container[];
const containersOf = async (...services: string[]) => {
  const ids = (await compose('ps', '--all', '--quiet', ...services)).split('\n').filter(Boolean);
  return inspect(...ids);
};
const portOf = async (service: string, port: string) =>
  `http://${(await compose('port', service, port)).trim()}`;
/** Undefined if there is no answer yet: Docker accepts connections before the container does. */
const ask = (address: string, key?: string) =>
  fetch(address, { headers: key === undefined ? {} : bearer(key), signal: AbortSignal.timeout(5000) }).catch(
    () => undefined,
  );
const isReady = async (address: string) => (await ask(`${address}/health/ready`))?.status === 200;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const isHealthy = ({ State }: Container) => State.Running && State.Health?.Status === 'healthy';

/** A key whose windows do not end during the test: it is the day that admits so few, and this one does not end soon. */
async function keyWith(requestsPerDay: number): Promise<string> {
  const isFarFromMidnight = () => Promise.resolve(DAY_MS - (Date.now() % DAY_MS) > NEAR_MIDNIGHT_MS);
  await until('the next day', isFarFromMidnight, 2 * NEAR_MIDNIGHT_MS);
  const admin = secret('admin-api-key');
  const quota = { perMinute: 1_000_000, perDay: requestsPerDay };
  const id = await makeProject(url, admin, `limit ${requestsPerDay}`, quota);
  return (await makeKey(url, admin, id)).secret;
}

async function countStatuses(key: string, requests: number): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  const count = async () => {
    const { status } = await fetch(`${url}/v1/pets`, { headers: bearer(key) });
    counts[status] = (counts[status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: requests }, count));
  return counts;
}

/** Reads again and again, and leaves time for the others. A 503 that says when to retry is no failure: a gateway that starts answers so. */
function startReads(key: string) {
  const failures: string[] = [];
  let answered = 0;
  const ending = new AbortController();
  const reading = (async () => {
    while (!ending.signal.aborted) {
      const answer = await fetch(`${url}/v1/pets?limit=1`, { headers: bearer(key) });
      const text = await answer.text();
      if (answer.status === 200) answered += 1;
      else if (answer.status !== 503 || !answer.headers.has('retry-after'))
        failures.push(`${answer.status} ${text}`);
      await sleep(10);
    }
  })();
  return {
    async end() {
      ending.abort();
      await reading;
      return { failures, answered };
    },
  };
}

// No measurement: an upgrade replaces six containers, one after the other.
jest.setTimeout(SETUP_MS);

beforeAll(async () => {
  docker = await startDocker();
  releaseBaseImages = await provideBaseImages(docker);
  for (const name of ['docker-compose.yml', 'deploy'])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  // The sources of the image, ports that are free on this machine, and shorter waits.
  const override = `
services:
  proxy: { ports: !override ['127.0.0.1::8080'] }
  gateway: { image: '${IMAGE}', build: { context: '${ROOT}' }, healthcheck: { interval: 2s } }
  gateway-staging: { image: '${IMAGE}', build: { context: '${ROOT}' }, ports: !override ['127.0.0.1::3000'] }
`;
  writeFileSync(join(folder, 'docker-compose.override.yml'), override);
  await mustRun(join(folder, 'deploy/create-secrets'), []);
  await compose('build', 'gateway');
}, SETUP_MS);

afterAll(async () => {
  // Undefined if Docker did not start.
  const started = docker as Docker | undefined;
  if (started !== undefined) {
    await compose(
      '--profile',
      'staging',
      '--profile',
      'monitoring',
      'down',
      '--volumes',
      '--remove-orphans',
    ).catch(console.error);
    for (const image of [IMAGE, BEFORE, NEXT])
      await started.run(['rmi', '--force', image]).catch(() => undefined);
    await releaseBaseImages?.();
    await started.close();
  }
  rmSync(folder, { recursive: true, force: true });
}, SETUP_MS);

describe('the image', () => {
  test('has labels, a user without privileges, and the list of its packages', async () => {
    const [image] = await inspect(IMAGE);
    expect(image?.Config).toMatchObject({
      User: '1000:1000',
      Labels: expect.objectContaining({
        'org.opencontainers.image.version': VERSION,
        'org.opencontainers.image.licenses': 'MIT',
      }) as unknown,
    });
    const sbom = JSON.parse(
      await docker.run(['run', '--rm', '--entrypoint', 'cat', IMAGE, 'sbom.cdx.json']),
    ) as {
      bomFormat: string;
      components: { name: string }[];
    };
    expect(sbom.bomFormat).toBe('CycloneDX');
    const names = sbom.components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['express', 'mongoose', 'graphql']));
    expect(names).not.toContain('jest');
  });

  test('without a database, it says what to set or to mount', async () => {
    const ran = docker.run(['run', '--rm', IMAGE]);
    await expect(ran).rejects.toThrow(/MONGODB_URI[^]*mount a volume at \/data/);
    await expect(ran).rejects.toThrow('ended with 1');
  });

  test('with a volume it keeps a MongoDB there', async () => {
    const name = `${PROJECT}-alone`;
    const mongod = `${await testMongod()}:/usr/local/bin/mongod:ro`;
    const mounts = ['--volume', `${name}:/data`, '--volume', mongod];
    await docker.run([
      'run',
      '--detach',
      '--init',
      '--name',
      name,
      ...mounts,
      '--publish',
      '127.0.0.1::3000',
      IMAGE,
    ]);
    try {
      const address = `http://${(await docker.run(['port', name, '3000'])).trim()}`;
      await until('the gateway with a MongoDB of its own', () => isReady(address), PATIENCE_MS);
    } finally {
      await docker.run(['rm', '--force', '--volumes', name]);
      await docker.run(['volume', 'rm', name]);
    }
  });
});

describe('docker compose', () => {
  test('on a MongoDB that has only root, the setup creates the users; if root has another password, it says what to do', async () => {
    const file = join(folder, 'secrets/mongodb-root-password');
    const password = secret('mongodb-root-password');
    const asRoot = `mongodb://root:${password}@127.0.0.1/admin`;
    const mongosh = (script: string) =>
      compose('exec', '-T', 'mongodb', 'mongosh', '--quiet', asRoot, '--eval', script);
    const setUp = () => compose('run', '--rm', 'mongodb-setup');
    await setUp();
    await mongosh("db.getSiblingDB('pets').dropAllUsers(); db.getSiblingDB('pets_staging').dropAllUsers()");
    writeFileSync(file, 'another');
    await expect(setUp()).rejects.toThrow('Write that password to this file');
    writeFileSync(file, password);
    await setUp();
    const users = await mongosh("print(db.getSiblingDB('pets').getUsers().users.map(({ user }) => user))");
    expect(users).toContain('pets');
  });

  test('starts three gateways behind the proxy', async () => {
    await compose('up', '--detach', '--no-build', '--scale', 'gateway=3');
    url = await portOf('proxy', '8080');
    await until('the proxy', () => isReady(url), PATIENCE_MS);
    const gateways = await containersOf('gateway');
    expect(gateways).toHaveLength(3);
    await until(
      'three healthy gateways',
      async () => (await containersOf('gateway')).every(isHealthy),
      PATIENCE_MS,
    );
    expect(await compose('ps', '--all', '--format', '{{.State}}', 'mongodb-setup')).toContain('exited');
  });

  test(`of 200 requests at once, a limit of ${LIMIT} admits exactly ${LIMIT}, on all three gateways`, async () => {
    const key = await keyWith(LIMIT);
    expect(await countStatuses(key, 200)).toEqual({ 200: LIMIT, 429: 200 - LIMIT });
    const logs = await compose('logs', '--no-color', 'gateway');
    const lines = logs.split('\n').filter((line) => /"status":(?:200|429)/.test(line));
    expect(new Set(lines.map((line) => /gateway-\d/.exec(line)?.[0])).size).toBe(3);
  });

  test('no container has privileges, writes to its own files, or has the secrets of another one', async () => {
    for (const { Name, HostConfig } of await containersOf()) {
      expect({ Name, ...HostConfig }).toMatchObject({
        Name,
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges:true'],
        LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '5' } },
      });
      expect(HostConfig['Memory']).toBeGreaterThan(0);
    }
    const inGateway = (script: string) => compose('exec', '-T', 'gateway', 'sh', '-c', script);
    expect(await inGateway('cat /proc/self/status')).toMatch(/CapBnd:\s+0+\n[^]*NoNewPrivs:\s+1\n/);
    await expect(inGateway('touch /app/file')).rejects.toThrow('Read-only file system');
    expect((await inGateway('ls /run/secrets')).trim().split('\n')).toEqual([
      'admin-api-key',
      'key-encryption-keys',
      'mongodb-uri',
      'redis-url',
    ]);
    const environments = JSON.stringify((await containersOf()).map(({ Config }) => Config.Env));
    for (const name of ['mongodb-root-password', 'mongodb-uri', 'redis-url', 'admin-api-key'])
      expect(environments).not.toContain(secret(name));
  });

  test('the user of one database cannot read the other one', async () => {
    const find = (database: string) =>
      compose(
        ...['exec', '-T', 'mongodb', 'mongosh', '--quiet', secret('mongodb-uri'), '--eval'],
        `print(db.getSiblingDB('${database}').projects.countDocuments())`,
      );
    expect(Number(await find('pets'))).toBeGreaterThan(0);
    await expect(find('pets_staging')).rejects.toThrow(/not authorized/i);
  });

  test('a killed gateway starts again, and neither fails requests nor forgets what was spent', async () => {
    const spent = await keyWith(5);
    expect(await countStatuses(spent, 20)).toEqual({ 200: 5, 429: 15 });
    const reads = startReads(secret('admin-api-key'));
    const [killed] = await containersOf('gateway');
    const id = killed?.Id ?? '';
    // The child of the init process is the gateway.
    await docker
      .run(['exec', id, 'sh', '-c', 'kill -9 $(cat /proc/1/task/1/children)'])
      .catch(() => undefined);
    await until(
      'the killed gateway',
      async () => {
        const [now] = await inspect(id);
        return now !== undefined && now.State.StartedAt !== killed?.State.StartedAt && isHealthy(now);
      },
      PATIENCE_MS,
    );
    expect(await reads.end()).toEqual({ failures: [], answered: expect.any(Number) as number });
    expect(await countStatuses(spent, 20)).toEqual({ 429: 20 });
  });

  test('a backup goes to a folder of this machine, with the command of docs/containers.md', async () => {
    const user = `${process.getuid?.()}:${process.getgid?.()}`;
    const volume = `${join(folder, 'backups')}:/backups`;
    const run = ['run', '--rm', '--no-deps', '--user', user, '--volume', volume, 'gateway'];
    mkdirSync(join(folder, 'backups'));
    await compose(...run, 'node', 'bin/pets-gateway.js', 'backup', '/backups/1');
    expect(readdirSync(join(folder, 'backups/1'))).toContain('manifest.json');
  });

  test('staging has keys, a database and a Redis of its own', async () => {
    await compose(
      '--profile',
      'staging',
      'up',
      '--detach',
      '--no-build',
      '--no-recreate',
      '--scale',
      'gateway=3',
    );
    const staging = await portOf('gateway-staging', '3000');
    const pets = (key: string) => ask(`${staging}/v1/pets`, key);
    await until(
      'staging',
      async () => (await pets(secret('admin-api-key-staging')))?.status === 200,
      PATIENCE_MS,
    );
    expect((await pets(secret('admin-api-key')))?.status).toBe(401);
    const list = '{ projects(first: 10) { edges { node { name } } } }';
    expect(JSON.stringify(await graphQL(staging, secret('admin-api-key-staging'), list))).not.toContain(
      'limit',
    );
    expect(JSON.stringify(await graphQL(url, secret('admin-api-key'), list))).toContain(`limit ${LIMIT}`);
  });

  test('Prometheus finds every gateway, and its rules load', async () => {
    await compose('--profile', 'monitoring', 'up', '--detach', '--no-deps', 'prometheus');
    const query = (expression: string) =>
      compose(
        'exec',
        '-T',
        'prometheus',
        'promtool',
        'query',
        'instant',
        'http://127.0.0.1:9090',
        expression,
      );
    await until(
      'three targets',
      async () => (await query('sum(up{job="pets-gateway"})').catch(() => '')).includes('=> 3 @'),
      PATIENCE_MS,
    );
    const rules = await compose(
      ...['exec', '-T', 'prometheus', 'promtool', 'check', 'rules', '/etc/prometheus/alerts.yml'],
    );
    expect(rules).toContain('SUCCESS');
  });

  test('an upgrade and a rollback, one gateway after the other, as docs/upgrading.md says', async () => {
    await docker.run(['tag', IMAGE, BEFORE]);
    const context = join(folder, 'next');
    cpSync(join(ROOT, 'test/containers/next'), context, { recursive: true });
    await docker.run(['build', '--quiet', '--build-arg', `BASE=${BEFORE}`, '--tag', NEXT, context]);
    const counted = await keyWith(1_000_000);
    const reads = startReads(counted);
    for (const image of [NEXT, BEFORE]) {
      await docker.run(['tag', image, IMAGE]);
      const [{ Id: wanted } = { Id: '' }] = await inspect(IMAGE);
      for (const old of await containersOf('gateway')) {
        await compose(
          'up',
          '--detach',
          '--no-build',
          '--no-deps',
          '--no-recreate',
          '--scale',
          'gateway=4',
          'gateway',
        );
        await until(
          'one more gateway',
          async () => {
            const now = await containersOf('gateway');
            return now.length === 4 && now.every(isHealthy);
          },
          PATIENCE_MS,
        );
        await docker.run(['stop', old.Id]);
        expect((await inspect(old.Id))[0]?.State.ExitCode).toBe(0);
        await docker.run(['rm', old.Id]);
      }
      expect((await containersOf('gateway')).map(({ Image }) => Image)).toEqual([wanted, wanted, wanted]);
    }
    const { failures, answered } = await reads.end();
    expect(failures).toEqual([]);
    expect(answered).toBeGreaterThan(0);
  });

  test('stops in time, with exit code 0', async () => {
    await compose('--profile', 'staging', 'stop', 'gateway', 'gateway-staging');
    const stopped = await containersOf('gateway', 'gateway-staging');
    expect(stopped.map(({ State }) => State.ExitCode)).toEqual([0, 0, 0, 0]);
  });
});
