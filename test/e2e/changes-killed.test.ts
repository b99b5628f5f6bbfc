import { freshDatabase } from '../support/database.js';
import { startGatewayProcess, type GatewayProcess } from '../support/gateway-process.js';
import { readinessOf } from '../support/readiness.js';
import { until } from '../support/until.js';
import { graphQL, makeKey, makeProject } from '../thorough/upgrade/records.js';

const ADMIN = 'an-admin-key-for-the-test-of-changes';
const AMPLE = { perMinute: 100_000, perDay: 100_000 };

/** Gateways that would keep a cached key for an hour, if they did not hear that it is revoked. */
describe('a gateway that is killed at once after it has revoked a key', () => {
  const database = freshDatabase();
  const gateways: GatewayProcess[] = [];
  const start = async () => {
    const env = { MONGODB_URI: database.uri, ADMIN_API_KEY: ADMIN, KEY_CACHE_TTL_SECONDS: '3600' };
    const gateway = await startGatewayProcess(env);
    gateways.push(gateway);
    await until(
      'it to hear of changes',
      async () => (await readinessOf(gateway.url, ADMIN)).checks['keyChanges'] === 'ok',
    );
    return gateway;
  };
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop('SIGKILL')));
    await database.drop();
  });

  const statusOf = async ({ url }: GatewayProcess, secret: string) =>
    (await fetch(`${url}/v1/pets`, { headers: { authorization: `Bearer ${secret}` } })).status;

  test('the others reject the key, whether it published the changes for all or not', async () => {
    // The first one publishes; after its end, one of the others.
    const [first, second, third] = [await start(), await start(), await start()];
    const projectId = await makeProject(first.url, ADMIN, 'revoked', AMPLE);
    for (const [killed, others] of [
      [first, [second, third]],
      [second, [third]],
    ] as const) {
      const { id, secret } = await makeKey(killed.url, ADMIN, projectId);
      for (const other of others) expect(await statusOf(other, secret)).toBe(200);
      await graphQL(
        killed.url,
        ADMIN,
        `mutation { revokeApiKey(input: { id: "${id}" }) { apiKey { state } } }`,
      );
      await killed.stop('SIGKILL');
      for (const other of others)
        await until('the key to be rejected', async () => (await statusOf(other, secret)) === 401);
    }
  });
});
