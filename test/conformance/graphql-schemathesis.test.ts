import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSchema } from 'graphql';
import { startGateway } from '../support/gateway.js';
import { AMPLE } from '../support/rest-client.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { runSchemathesis } from './run-schemathesis.js';

const SDL_FILE = join(__dirname, '../../schema/schema.graphql');
const folder = useTemporaryFolder();

test('schemathesis finds nothing in which GraphQL differs from schema/schema.graphql', async () => {
  const gateway = await startGateway({
    env: { ANONYMOUS_REQUESTS_PER_MINUTE: '1000000', ADMIN_REQUESTS_PER_MINUTE: '1000000' },
  });
  try {
    const { services } = gateway;
    const { secret } = await services.apiKeys.create({ name: 'judge', role: 'admin' });
    const project = (await gateway.keyOn('enterprise', AMPLE)).apiKey.projectId ?? '';
    const aKey = (await gateway.keyOn('free')).apiKey.id;
    const toRevoke = (await gateway.keyOn('free')).apiKey.id;
    const pet = await services.pets.create({ name: 'Rex', categoryId: 7n, status: 'available' });
    const existing = {
      projectId: project,
      project,
      apiKeyId: aKey,
      apiKey: aKey,
      rotateApiKey: aKey,
      revokeApiKey: toRevoke,
      pet: String(pet.id),
    };
    const { code, output, answers } = await runSchemathesis(SDL_FILE, {
      url: `${gateway.url}/graphql`,
      secret,
      folder: folder(),
      env: { EXISTING_IDS: JSON.stringify(existing) },
    });
    expect(code === 0 ? 'nothing found' : output).toBe('nothing found');

    // Refusals alone would pass as well: each operation has to have worked.
    const schema = buildSchema(await readFile(SDL_FILE, 'utf8'));
    const operations = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
      Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name ?? ''}.${field}`),
    );
    const worked = operations.filter((operation) => (answers[`${operation} ok`] ?? 0) >= 3);
    expect(worked).toEqual(operations);
    const outcomes = new Set(Object.keys(answers).map((what) => what.split(' ')[1]));
    expect(Array.from(outcomes).sort()).toEqual(['invalid_request', 'ok']);
  } finally {
    await gateway.close();
  }
}, 300_000);
