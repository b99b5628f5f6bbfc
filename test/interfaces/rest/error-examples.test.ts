import { createSecret } from '../../../src/features/keys/secret.js';
import { expectError } from '../../support/expect-answer.js';
import { useGateway } from '../../support/gateway.js';
import { openApiDocument, resolve, type ApiResponse } from '../../support/openapi-document.js';
import { AMPLE } from '../../support/rest-client.js';

/** The examples of errors in schema/openapi.yaml that one request can provoke. The others need a fault or time. */
const JSON_TYPE = { 'content-type': 'application/json' };
const ONCE = { 'idempotency-key': 'once' };

const gateway = useGateway();
let server: string;
let browser: string;
let unknown: string;
beforeAll(async () => {
  const { secret, apiKey } = await gateway.keyOn('enterprise', AMPLE);
  const allowedOrigins = ['https://shelter.example'];
  const projectId = apiKey.projectId ?? '';
  server = secret;
  ({ secret: browser } = await gateway.services.apiKeys.create({
    name: 'page',
    role: 'browser',
    projectId,
    allowedOrigins,
  }));
  unknown = createSecret('production');
  await add('{"name":"Rex","categoryId":7}');
});

const add = (body: string) =>
  gateway.request('/v1/pets', { method: 'POST', key: server, headers: { ...JSON_TYPE, ...ONCE }, body });

/** The error examples of an operation for a status. */
function examplesOf(operationId: string, status: number): { message: string }[] {
  const operation = Object.values(openApiDocument().paths)
    .flatMap((item) => Object.values(item))
    .find((candidate) => candidate.operationId === operationId);
  const { content } = resolve<ApiResponse>(operation?.responses[status] as ApiResponse);
  return Object.values(content?.['application/json']?.examples ?? {}).map(
    ({ value }) => value as { message: string },
  );
}

const withKey = (init: RequestInit) => () => ({ key: server, ...init });

test.each<[string, number, string, string, () => RequestInit & { key?: string }]>([
  ['listPets', 400, 'invalid_request', '/v1/pets?limit=0', withKey({})],
  ['listPets', 401, 'missing_api_key', '/v1/pets', () => ({})],
  ['listPets', 401, 'invalid_api_key', '/v1/pets', () => ({ key: unknown })],
  [
    'listPets',
    403,
    'forbidden',
    '/v1/pets',
    () => ({ key: browser, headers: { origin: 'https://shelter.example' } }),
  ],
  ['listPets', 406, 'not_acceptable', '/v1/pets', withKey({ headers: { accept: 'text/html' } })],
  [
    'createPet',
    400,
    'invalid_request',
    '/v1/pets',
    withKey({ method: 'POST', headers: JSON_TYPE, body: '{"name":" "}' }),
  ],
  [
    'createPet',
    413,
    'payload_too_large',
    '/v1/pets',
    withKey({ method: 'POST', headers: JSON_TYPE, body: 'x'.repeat(70_000) }),
  ],
  [
    'createPet',
    415,
    'unsupported_media_type',
    '/v1/pets',
    withKey({ method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x' }),
  ],
  [
    'createPet',
    422,
    'idempotency_mismatch',
    '/v1/pets',
    withKey({
      method: 'POST',
      headers: { ...JSON_TYPE, ...ONCE },
      body: '{"name":"Mia","categoryId":7}',
    }),
  ],
  ['getPet', 400, 'invalid_request', '/v1/pets/1?fields=name', withKey({})],
  ['getPet', 404, 'pet_not_found', '/v1/pets/999', withKey({})],
  [
    'updatePet',
    415,
    'unsupported_media_type',
    '/v1/pets/1',
    withKey({ method: 'PATCH', headers: { 'content-type': 'text/plain' }, body: 'x' }),
  ],
  [
    'updatePet',
    400,
    'invalid_request',
    '/v1/pets/1',
    withKey({ method: 'PATCH', headers: JSON_TYPE, body: '{"status":null}' }),
  ],
  ['deletePet', 400, 'invalid_request', '/v1/pets/1', withKey({ method: 'DELETE', body: 'x' })],
])('an example of %s %i %s has the message of the gateway', async (operation, status, code, path, init) => {
  const answer = await gateway.request(path, init());
  const { message } = await expectError(answer, status, code);
  expect(examplesOf(operation, status).map((example) => example.message)).toContain(message);
});
