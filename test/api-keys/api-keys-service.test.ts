import type { CreateApiKey } from '../../src/api-keys/api-keys-service.js';
import { faultOf } from '../support/fault-of.js';
import { startGateway } from '../support/gateway.js';
import { rawDatabase } from '../support/raw-database.js';

let gateway: Awaited<ReturnType<typeof startGateway>>;
let projectId: string;

beforeAll(async () => {
  gateway = await startGateway();
  projectId = (await gateway.services.projects.create({ name: 'Shop' })).id;
});
afterAll(() => gateway.close());

const ORIGIN = 'https://shop.example';

describe('create refuses', () => {
  test.each<[string, Partial<CreateApiKey> & { admin?: true }, string]>([
    ['a blank name', { name: ' ' }, 'name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
    ['a name with a control character', { name: 'a\u001bb' }, 'name'],
    ['an admin key in a project', { role: 'admin' }, 'projectId'],
    ['a key without a project', { projectId: undefined }, 'projectId'],
    ['an expiry that has passed', { expiresAt: new Date(0) }, 'expiresAt'],
    ['a browser key without an origin', { role: 'browser' }, 'allowedOrigins'],
    ['origins for a server key', { allowedOrigins: [ORIGIN] }, 'allowedOrigins'],
    ['an origin with a path', { role: 'browser', allowedOrigins: [`${ORIGIN}/`] }, 'allowedOrigins'],
    [
      'an origin in capitals',
      { role: 'browser', allowedOrigins: ['https://Shop.example'] },
      'allowedOrigins',
    ],
    [
      'an origin with its default port',
      { role: 'browser', allowedOrigins: [`${ORIGIN}:443`] },
      'allowedOrigins',
    ],
    ['a wildcard', { role: 'browser', allowedOrigins: ['*'] }, 'allowedOrigins'],
    ['the null origin', { role: 'browser', allowedOrigins: ['null'] }, 'allowedOrigins'],
    ['another scheme', { role: 'browser', allowedOrigins: ['file:///tmp'] }, 'allowedOrigins'],
  ])('%s', async (_what, input, field) => {
    const error = await faultOf(() => gateway.services.apiKeys.create({ name: 'key', projectId, ...input }));
    expect(error.code).toBe('invalid_request');
    expect(error.message).toContain(field);
  });

  test('a project that does not exist', async () => {
    const error = await faultOf(() =>
      gateway.services.apiKeys.create({ name: 'key', projectId: 'proj_none' }),
    );
    expect(error.code).toBe('not_found');
  });
});

describe('create accepts', () => {
  test.each<[string, Partial<CreateApiKey>]>([
    ['a server key, the default role', {}],
    ['an owner key', { role: 'owner' }],
    [
      'a browser key with several origins',
      { role: 'browser', allowedOrigins: [ORIGIN, 'http://localhost:5173'] },
    ],
    ['an expiry to come', { expiresAt: new Date(Date.now() + 60_000) }],
    ['a name of 100 characters outside the BMP', { name: '🐕'.repeat(100) }],
  ])('%s', async (_what, input) => {
    const { apiKey, secret } = await gateway.services.apiKeys.create({ name: 'key', projectId, ...input });
    expect(apiKey).toMatchObject({ projectId, role: input.role ?? 'server' });
    expect(await gateway.services.apiKeys.get(apiKey.id)).toMatchObject({ name: apiKey.name });
    expect((await gateway.services.authenticator.authenticate(secret)).key.id).toBe(apiKey.id);
  });
});

describe('rotate', () => {
  test.each([-1, 0.5, 604_801, Number.NaN])('refuses an overlap of %d seconds', async (overlap) => {
    const { apiKey } = await gateway.keyOn('free');
    const error = await faultOf(() => gateway.services.apiKeys.rotate(apiKey.id, overlap));
    expect(error.code).toBe('invalid_request');
  });

  test('keeps the id and everything but the secret', async () => {
    const { apiKey, secret } = await gateway.keyOn('free');
    const rotated = await gateway.services.apiKeys.rotate(apiKey.id, 60);
    expect(rotated.secret).not.toBe(secret);
    expect({ ...rotated.apiKey, secrets: [] }).toEqual({ ...apiKey, secrets: [] });
    expect(rotated.apiKey.secrets).toHaveLength(2);
  });

  test('is a conflict on a revoked key, and not found without one', async () => {
    const { apiKey } = await gateway.keyOn('free');
    await gateway.services.apiKeys.revoke(apiKey.id);
    expect((await faultOf(() => gateway.services.apiKeys.rotate(apiKey.id, 0))).code).toBe('conflict');
    expect((await faultOf(() => gateway.services.apiKeys.rotate('key_none', 0))).code).toBe('not_found');
  });
});

test('revoking twice is no error and keeps the first time', async () => {
  const { apiKey } = await gateway.keyOn('free');
  const first = await gateway.services.apiKeys.revoke(apiKey.id);
  expect(first.revokedAt).toBeInstanceOf(Date);
  expect((await gateway.services.apiKeys.revoke(apiKey.id)).revokedAt).toEqual(first.revokedAt);
});

test.each(['revoke', 'resetQuota', 'liftBan', 'get'] as const)(
  '%s of no key is not found',
  async (method) => {
    expect((await faultOf(() => gateway.services.apiKeys[method]('key_none'))).code).toBe('not_found');
  },
);

test('no secret is in the database, whatever happened to its key', async () => {
  const { apiKey, secret } = await gateway.keyOn('free');
  await gateway.request('/v1/pets', { key: secret });
  const { secret: rotated } = await gateway.services.apiKeys.rotate(apiKey.id, 60);
  await gateway.request('/v1/pets', { key: rotated });
  await gateway.services.keyUses.flush();

  const raw = await rawDatabase(gateway);
  try {
    const collections = (await raw.db?.collections()) ?? [];
    const documents = await Promise.all(collections.map((collection) => collection.find().toArray()));
    const dump = JSON.stringify(documents, (_key, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(dump).toContain(apiKey.id);
    for (const shown of [secret, rotated]) {
      expect(dump).toContain(shown.slice(0, 14));
      // Not even the random part beyond the start that people know the key by.
      expect(dump).not.toContain(shown.slice(14));
    }
  } finally {
    await raw.close();
  }
});
