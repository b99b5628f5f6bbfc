import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freshDatabase } from '../support/database.js';
import { listingModules } from '../support/loaded-modules.js';
import { mustRun } from '../support/run-program.js';
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
