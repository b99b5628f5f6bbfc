import { copyFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { mustRun } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { ROOT } from './install-packages.js';

const folder = useTemporaryFolder();
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

const USE = `
const { BASE_URL, API_KEY } = process.env;
async function main() {
  const pets = createPetsClient({ baseUrl: BASE_URL ?? '', apiKey: API_KEY ?? '' });
  const { id }: { id: bigint } = await pets.create({ name: 'Pixel', categoryId: 2n });
  const found: bigint[] = [];
  for await (const pet of pets.all({ status: 'available' })) found.push(pet.id);
  if (!found.includes(id)) throw new Error('the list has no pet ' + id);
  const failure = await pets.create({ name: '', categoryId: 2n }).catch((error: unknown) => error);
  if (!(failure instanceof PetsApiError)) throw new Error('an empty name is no PetsApiError');
  console.log(failure.code, failure.method, failure.url);
}
main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
`;
const PROGRAMS = {
  'esm.mts': `import { createPetsClient, PetsApiError } from 'pets-gateway-client';${USE}`,
  'cjs.cts': `import { createPetsClient, PetsApiError } from 'pets-gateway-client';${USE}`,
};
const TSCONFIG = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    strict: true,
    types: ['node'],
    typeRoots: ['node_modules/@types'],
  },
};

test('npm pack makes a package that an empty project installs, imports, requires and checks by its types', async () => {
  const project = folder();
  const client = join(ROOT, 'clients/typescript');
  await mustRun('npm', ['pack', '--pack-destination', project], { cwd: client });
  await writeFile(join(project, 'package.json'), '{"name":"empty","private":true}');
  const tarball = join(project, 'pets-gateway-client-1.0.0.tgz');
  await mustRun('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: project });
  for (const [name, text] of Object.entries(PROGRAMS)) await writeFile(join(project, name), text);
  await copyFile(join(ROOT, 'examples/typescript/adopt.ts'), join(project, 'adopt.mts'));
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify(TSCONFIG));
  // The compiler and the types of Node are this repository's.
  await symlink(join(ROOT, 'node_modules/@types'), join(project, 'node_modules/@types'));

  await mustRun(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc')], { cwd: project });

  const { secret } = await gateway.keyOn('pro');
  const env = { BASE_URL: `${gateway.url}/v1`, API_KEY: secret };
  for (const program of ['esm.mjs', 'cjs.cjs']) {
    const output = await mustRun(process.execPath, [program], { cwd: project, env });
    expect([program, output]).toEqual([
      program,
      expect.stringContaining(`invalid_request POST ${gateway.url}/v1/pets\n`),
    ]);
  }

  const adoption = await mustRun(process.execPath, ['adopt.mjs'], {
    cwd: project,
    env: { ...env, BASE_URL: gateway.url },
  });
  const [, winner] = /^(Anna|Ben) reserved/m.exec(adoption) ?? [];
  const [, late] = /^(Anna|Ben) is too late/m.exec(adoption) ?? [];
  expect([winner, late].toSorted()).toEqual(['Anna', 'Ben']);
  expect(adoption).toContain(`${winner} reserved "Pixel, for ${winner}"\n`);
  expect(adoption).toContain(`${late} is too late: "Pixel, for ${winner}" is pending\n`);
});
