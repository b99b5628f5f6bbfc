import type { Connection } from 'mongoose';
import { join } from 'node:path';
import type { RanStep } from '../../../src/platform/mongo/migration-record.js';
import { VERSION } from '../../../src/lib/version.js';
import { freshDatabase } from '../../support/database.js';
import { chooseFreePort } from '../../support/free-port.js';
import {
  failGatewayProcess,
  startGatewayProcess,
  type GatewayProcess,
} from '../../support/gateway-process.js';
import { rawDatabase } from '../../support/raw-database.js';
import { readinessOf } from '../../support/readiness.js';
import { runProgram } from '../../support/run-program.js';
import { until } from '../../support/until.js';
import { buildNextVersion, type OtherVersion } from './next-version.js';

const PETS = 3000;

let next: OtherVersion;
let raw: Connection;
let old: GatewayProcess;
const started: GatewayProcess[] = [];
const database = freshDatabase();
const env = { MONGODB_URI: database.uri, ADMIN_API_KEY: 'an-admin-key-for-this-test', LOG_LEVEL: 'info' };

beforeAll(async () => {
  next = buildNextVersion();
  raw = await rawDatabase({ databaseName: database.dbName });
  old = await startGatewayProcess(env);
  started.push(old);
  const pets = Array.from({ length: PETS }, (_, i) => ({ _id: BigInt(i + 1), status: 'sold' }));
  await raw.collection<{ _id: bigint }>('pets').insertMany(pets);
});
afterAll(async () => {
  await Promise.all(started.map((gateway) => gateway.stop()));
  await raw.close();
  await database.drop();
  next.remove();
});

const record = async () =>
  raw.collection<{ _id: string; steps: RanStep[]; holder?: string }>('setup').findOne({ _id: 'migrations' });
const withShelter = () => raw.collection('pets').countDocuments({ shelter: { $exists: true } });
const ready = async ({ url }: GatewayProcess) => {
  const { status, checks } = await readinessOf(url, env.ADMIN_API_KEY);
  return { status, migrations: checks['migrations'] };
};

test('a version that is killed amid a step harms nobody; of those that start after it one goes on, once', async () => {
  const killed = startGatewayProcess({ ...env, HELD_STEP: '1' }, next.root).then(
    () => 'started',
    () => 'killed',
  );
  await until('a step half done', async () => (await withShelter()) > 0);
  expect(await withShelter()).toBeLessThan(PETS);
  expect(await ready(old)).toEqual({ status: 200, migrations: 'ok' });
  process.kill(Number(/process (\d+)$/.exec((await record())?.holder ?? '')?.[1]), 'SIGKILL');
  expect(await killed).toBe('killed');

  const both = await Promise.all([
    startGatewayProcess(env, next.root),
    startGatewayProcess({ ...env, WORKERS: '2' }, next.root),
  ]);
  started.push(...both);
  expect(await withShelter()).toBe(PETS);
  const all = both.map((gateway) => gateway.output()).join('');
  expect(all.split(`Applied migration ${next.expandId} `)).toHaveLength(2);
  expect(all).toMatch(/Waiting for .*process \d+.*, which prepares the database/);
  expect((await record())?.steps.filter(({ id }) => id === next.expandId)).toMatchObject([
    { version: next.version },
  ]);
  expect((await ready(old)).status).toBe(200);
});

test('after a contract step the version before is not ready any more, and does not start', async () => {
  const { output, code } = await runProgram(
    process.execPath,
    [join(next.root, 'bin/pets-gateway.js'), 'migrate', '--contract'],
    { env, timeoutMs: 60_000 },
  );
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringMatching(/gone +done/) as unknown });
  const reason = `version ${next.version} applied migration ${next.contractId}`;
  expect(await ready(old)).toEqual({
    status: 503,
    migrations: 'the database requires a newer version of the gateway: see `pets-gateway doctor`',
  });
  for (const gateway of started.slice(1))
    expect(await ready(gateway)).toEqual({ status: 200, migrations: 'ok' });
  const refused = await failGatewayProcess({ ...env, PORT: String(await chooseFreePort()) });
  expect(refused).toEqual({ code: 1, output: expect.stringContaining(reason) as unknown });
  expect(refused.output).toContain(`requires version ${next.version} or newer, and this is ${VERSION}`);
});
