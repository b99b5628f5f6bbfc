import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshDatabase } from '../support/database.js';
import { startGatewayProcess } from '../support/gateway-process.js';
import { listingModules } from '../support/loaded-modules.js';
import { mustRun, runProgram } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const database = freshDatabase();
afterAll(() => database.drop());
const folder = useTemporaryFolder();
const root = join(__dirname, '../..');
beforeAll(() => mustRun(process.execPath, [join(root, 'bin/build-if-stale.cjs')]), 120_000);

/** The packages that a command has loaded by its end, or their scopes. */
async function packagesOf(...args: string[]): Promise<string[]> {
  const file = join(folder(), 'modules.json');
  await mustRun(process.execPath, [join(root, 'bin/pets-gateway.js'), ...args], {
    env: { MONGODB_URI: database.uri, ...listingModules(file) },
  });
  return packagesIn(file);
}

function packagesIn(file: string): string[] {
  const modules = JSON.parse(readFileSync(file, 'utf8')) as string[];
  const packages = modules.flatMap(
    (path) => path.split('/node_modules/').slice(1).at(-1)?.split('/').slice(0, 1) ?? [],
  );
  return [...new Set(packages)];
}

const GATEWAY_ONLY: readonly string[] = [
  '@apollo',
  '@opentelemetry',
  '@peculiar',
  'express',
  'graphql',
  'pino-pretty',
  'prom-client',
  'type-graphql',
  'yaml',
];

test.each([[['--version']], [['--help']], [['keys', 'create', '--help']]])(
  '%j loads nothing but the parser of the command line',
  async (args) => {
    expect(await packagesOf(...args)).toEqual(['commander']);
  },
);

test.each([[['keys', 'list']], [['projects', 'create', 'Shop']]])('%j builds no gateway', async (args) => {
  const packages = await packagesOf(...args);
  expect(packages).toContain('mongoose');
  expect(packages.filter((name) => GATEWAY_ONLY.includes(name))).toEqual([]);
});

test('what starts mongod loads nothing that takes long: the rest is loaded while mongod starts', async () => {
  const file = join(folder(), 'starting.json');
  const env = listingModules(file);
  await mustRun(process.execPath, ['-e', `require(${JSON.stringify(join(root, 'dist/server/main.js'))})`], {
    env,
  });
  const packages = packagesIn(file);
  expect(packages).toContain('zod');
  expect(packages.filter((name) => [...GATEWAY_ONLY, 'mongoose', 'mongodb'].includes(name))).toEqual([]);
});

test('a gateway loads the libraries of Redis, of certificates and of the API reference when it needs them', async () => {
  const own = freshDatabase();
  const file = join(folder(), 'served.json');
  const gateway = await startGatewayProcess({ MONGODB_URI: own.uri, ...listingModules(file) });
  await (await fetch(`${gateway.url}/v1/pets`)).arrayBuffer();
  expect(await gateway.stop()).toBe(0);
  const packages = packagesIn(file);
  expect(packages).toContain('express');
  expect(packages.filter((name) => ['@peculiar', 'ioredis', 'yaml'].includes(name))).toEqual([]);
  await own.drop();
});

test('a gateway that cannot be loaded says why, and does not blame mongod, which it starts meanwhile', async () => {
  const hook = join(folder(), 'broken.cjs');
  writeFileSync(
    hook,
    `const { _load } = require('node:module');
     require('node:module')._load = (name, ...rest) => {
       if (name === 'type-graphql') throw new Error('no such file on this disk');
       return _load(name, ...rest);
     };`,
  );
  const { code, output } = await runProgram(process.execPath, [join(root, 'bin/pets-gateway.js'), 'serve'], {
    env: { DATA_DIR: join(folder(), 'data'), PORT: '0', NODE_OPTIONS: `--require ${JSON.stringify(hook)}` },
  });
  expect(code).toBe(1);
  expect(output).toContain('no such file on this disk');
  expect(output).not.toContain('mongod did not start');
});
