import { startGateway } from '../support/gateway.js';
import { OPENAPI_FILE } from '../support/openapi-document.js';
import { restClient } from '../support/rest-client.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { runSchemathesis } from './run-schemathesis.js';

const folder = useTemporaryFolder();

test('schemathesis finds nothing in which the REST interface differs from schema/openapi.yaml', async () => {
  // Requests without a key are part of it: each gets 401, however many there are.
  const gateway = await startGateway({ env: { ANONYMOUS_REQUESTS_PER_MINUTE: '1000000' } });
  try {
    const { secret } = await restClient(gateway);
    const url = `${gateway.url}/v1`;
    const { code, output, answers } = await runSchemathesis(OPENAPI_FILE, { url, secret, folder: folder() });
    expect(code === 0 ? 'nothing found' : output).toBe('nothing found');

    // Refusals alone would pass as well: each operation has to have worked, and to have refused what is wrong.
    expect(answers).toMatchObject({
      'GET /v1/pets 200': atLeast(20),
      'GET /v1/pets 400': atLeast(10),
      'GET /v1/pets 401': atLeast(1),
      'POST /v1/pets 201': atLeast(20),
      'POST /v1/pets 400': atLeast(20),
      'POST /v1/pets 401': atLeast(1),
      'GET /v1/pets/{petId} 200': atLeast(1),
      'GET /v1/pets/{petId} 404': atLeast(10),
      'GET /v1/pets/{petId} 401': atLeast(1),
      'PATCH /v1/pets/{petId} 200': atLeast(1),
      'PATCH /v1/pets/{petId} 400': atLeast(10),
      'PATCH /v1/pets/{petId} 401': atLeast(1),
      'DELETE /v1/pets/{petId} 204': atLeast(1),
      'DELETE /v1/pets/{petId} 404': atLeast(1),
      'DELETE /v1/pets/{petId} 401': atLeast(1),
    });
    expect(
      Object.keys(answers).filter((what) => /429|5..|no answer$/.test(what.split(' ')[2] ?? '')),
    ).toEqual([]);
  } finally {
    await gateway.close();
  }
});

function atLeast(count: number): unknown {
  return {
    asymmetricMatch: (actual: unknown) => typeof actual === 'number' && actual >= count,
    toString: () => `at least ${count}`,
  };
}
