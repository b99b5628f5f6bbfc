import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { startGateway } from '../support/gateway.js';
import { AMPLE } from '../support/rest-client.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { runSchemathesis } from './run-schemathesis.js';

const SDL_FILE = join(__dirname, '../../schema/schema.graphql');
const folder = useTemporaryFolder();
/**
 * Each works once: a name is had, and taken away, one time, a pet and a project go for good, and an import starts once.
 * test/features/publishing/domains/graphql*, test/features/administration/delete-project and test/interfaces ask for them.
 */
const WITHOUT: ReadonlySet<string> = new Set([
  'Mutation.addDomain',
  'Mutation.deletePet',
  'Mutation.deleteProject',
  'Mutation.removeDomain',
  'Mutation.removeRedirect',
  'Mutation.startPetsImport',
]);

test('schemathesis finds nothing in which GraphQL differs from schema/schema.graphql', async () => {
  const gateway = await startGateway({
    env: {
      ANONYMOUS_REQUESTS_PER_MINUTE: '1000000',
      ADMIN_REQUESTS_PER_MINUTE: '1000000',
      PLATFORM_HOST: 'pets.test',
      PUBLIC_URL: 'http://127.0.0.1:3000',
    },
  });
  try {
    const { services } = gateway;
    const { secret } = await services.apiKeys.create({ name: 'judge', role: 'admin' });
    const project = (await gateway.keyOn('enterprise', AMPLE)).apiKey.projectId ?? '';
    const aKey = (await gateway.keyOn('free')).apiKey.id;
    const person = (await services.apiKeys.invite({ name: 'Maria', projectId: project })).apiKey.id;
    const toRevoke = (await gateway.keyOn('free')).apiKey.id;
    const pet = await services.pets.create({ name: 'Rex', categoryId: 7n, status: 'available' }, undefined);
    const { administration, customerDomains, projects } = services;
    const petsImport = await services.petsImports.create(
      { projectId: project, existing: 'skip', deleteMissing: false, dryRun: true, ignoreUnknown: false },
      { role: 'command line' },
    );
    const change = administration({ role: 'command line' });
    const deploy = await change.createDeploy({ projectId: project, template: 'storefront' });
    const { id: domain, name: from } = await change.addDomain(project, 'shop.customer.example');
    const to = customerDomains?.service.primaryOf(await projects.get(project)) ?? '';
    // Ten deploys of a project are kept: of the one that is gone back to there are no others.
    const deployed = (await gateway.keyOn('free')).apiKey.projectId;
    const replanned = (await gateway.keyOn('pro')).apiKey.projectId;
    const existing = {
      // The others stay on a plan that includes what they are asked for.
      'changePlan.projectId': replanned,
      'createDeploy.projectId': deployed,
      deployId: deploy.id,
      domain,
      verifyDomain: domain,
      from,
      to,
      projectId: project,
      project,
      apiKeyId: aKey,
      apiKey: aKey,
      updateApiKey: aKey,
      rotateApiKey: aKey,
      disableApiKey: aKey,
      enableApiKey: aKey,
      revokeApiKey: toRevoke,
      'renewInvitation.apiKeyId': person,
      pet: String(pet.id),
      updatePet: String(pet.id),
      petsImport: petsImport.id,
    };
    const { code, output, answers } = await runSchemathesis(SDL_FILE, {
      url: `${gateway.url}/graphql`,
      secret,
      folder: folder(),
      without: [...WITHOUT],
      env: { EXISTING_IDS: JSON.stringify(existing) },
    });
    expect(code === 0 ? 'nothing found' : output).toBe('nothing found');

    // Refusals alone would pass as well: each operation has to have worked.
    const schema = buildSchema(await readFile(SDL_FILE, 'utf8'));
    const operations = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name ?? ''}.${field}`),
    );
    const asked = operations.filter((operation) => !WITHOUT.has(operation));
    const worked = asked.filter((operation) => (answers[`${operation} ok`] ?? 0) >= 3);
    expect(worked).toEqual(asked);
    const outcomes = new Set(Object.keys(answers).map((what) => what.split(' ')[1]));
    expect(Array.from(outcomes).sort()).toEqual(['invalid_request', 'ok']);
  } finally {
    await gateway.close();
  }
});
