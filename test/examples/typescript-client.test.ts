import { startGateway, type TestGateway } from '../support/gateway.js';
import { mustRun } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { makeTypescriptProject } from './typescript-project.js';

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
test('npm pack makes a package that an empty project installs, imports, requires and checks by its types', async () => {
  const project = folder();
  await makeTypescriptProject(project, PROGRAMS);

  const { secret } = await gateway.keyOn('pro');
  const env = { BASE_URL: `${gateway.url}/v1`, API_KEY: secret };
  for (const program of ['esm.mjs', 'cjs.cjs']) {
    const output = await mustRun(process.execPath, [program], { cwd: project, env });
    expect([program, output]).toEqual([
      program,
      expect.stringContaining(`invalid_request POST ${gateway.url}/v1/pets\n`),
    ]);
  }
});
