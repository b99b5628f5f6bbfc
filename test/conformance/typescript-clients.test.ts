import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { OPENAPI_FILE } from '../support/openapi-document.js';
import { restClient } from '../support/rest-client.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { npmPackages } from './provide-tools.js';
import { mustRun } from '../support/run-program.js';

const folder = useTemporaryFolder();
let gateway: TestGateway;
let env: { BASE_URL: string; GRAPHQL_URL: string; API_KEY: string };

beforeEach(async () => {
  gateway = await startGateway();
  const { secret } = await restClient(gateway);
  env = { BASE_URL: `${gateway.url}/v1`, GRAPHQL_URL: `${gateway.url}/graphql`, API_KEY: secret };
});
afterEach(() => gateway.close());

/** Type checks and runs a program of clients/ beside what was generated; the lines it prints. */
async function compileAndRun(program: string, modules: string): Promise<string[]> {
  const cwd = folder();
  await copyFile(join(__dirname, `clients/${program}.ts.txt`), join(cwd, `${program}.ts`));
  await writeFile(join(cwd, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  await writeFile(
    join(cwd, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        module: 'nodenext',
        target: 'es2022',
        types: ['node'],
        skipLibCheck: true,
      },
      files: [`${program}.ts`],
    }),
  );
  await mustRun(join(modules, '.bin/tsc'), ['-p', cwd], { cwd });
  return (await mustRun(process.execPath, [`${program}.js`], { cwd, env })).trim().split('\n');
}

test('the types of openapi-typescript fit the answers', async () => {
  const modules = await npmPackages('openapi-typescript', {
    '@types/node': '20.19.43',
    'openapi-fetch': '0.17.0',
    'openapi-typescript': '7.13.0',
    typescript: '5.9.3',
  });
  await symlink(modules, join(folder(), 'node_modules'));
  const generate = [OPENAPI_FILE, '--output', join(folder(), 'schema.ts')];
  await mustRun(join(modules, '.bin/openapi-typescript'), generate, { cwd: folder() });

  const pet = `1 Ada ${Number.MAX_SAFE_INTEGER} sold`;
  expect(await compileAndRun('rest', modules)).toEqual([pet, pet, pet, '400 invalid_request']);
});

test('the typed documents of GraphQL Code Generator fit the answers, with exact int64', async () => {
  const modules = await npmPackages(
    'graphql-codegen',
    {
      '@graphql-codegen/cli': '7.4.3',
      '@graphql-codegen/typed-document-node': '7.1.1',
      '@graphql-codegen/typescript': '6.1.0',
      '@graphql-codegen/typescript-operations': '6.1.9',
      '@graphql-typed-document-node/core': '3.2.0',
      '@types/node': '20.19.43',
      graphql: '16.15.0',
      typescript: '5.9.3',
    },
    { '@graphql-tools/batch-execute': '10.2.0' },
  );
  await symlink(modules, join(folder(), 'node_modules'));
  const config = {
    schema: join(__dirname, '../../schema/schema.graphql'),
    documents: join(__dirname, 'clients/operations.graphql'),
    config: {
      scalars: { Int64: { input: 'string | number', output: 'string' }, DateTime: 'string' },
      strictScalars: true,
      useTypeImports: true,
    },
    generates: { 'documents.ts': { plugins: ['typescript-operations', 'typed-document-node'] } },
  };
  await writeFile(join(folder(), 'codegen.json'), JSON.stringify(config));
  await mustRun(join(modules, '.bin/graphql-codegen'), ['--config', 'codegen.json'], { cwd: folder() });

  const max = '9223372036854775807';
  expect(await compileAndRun('graphql', modules)).toEqual([
    `1 Grace ${max} available`,
    `1 ${max}`,
    `1 ${max}`,
    'minute day',
  ]);
});
