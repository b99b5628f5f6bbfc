import type { ApiKey } from '../../../src/features/keys/api-key.js';
import {
  createApiKeysService,
  type ApiKeysService,
  type CreateApiKey,
} from '../../../src/features/keys/api-keys-service.js';
import type { RecordChange } from '../../../src/features/keys/record-change.js';
import { hashSecret } from '../../../src/features/keys/secret.js';
import { NO_RESETS, WINDOW_NAMES } from '../../../src/features/plans/window.js';
import { faultOf } from '../../support/fault-of.js';
import { openKeyStore, type TestKeyStore } from '../../support/key-store.js';

const NOW = Date.parse('2029-06-15T12:00:00.000Z');
const ORIGIN = 'https://shop.example';
const projectId = 'proj_shop';

let opened: TestKeyStore;
let service: ApiKeysService;
let nowMs: number;
/** What this process had to forget. */
let changes: RecordChange[];

beforeAll(async () => {
  opened = await openKeyStore(() => nowMs);
  await opened.projects.insert({
    id: projectId,
    name: 'Shop',
    slug: 'shop',
    plan: 'pro',
    createdAt: new Date(NOW),
  });
  service = createApiKeysService({
    keys: opened.store,
    projects: opened.projects,
    environment: 'production',
    evictHere: (change) => void changes.push(change),
    clock: () => nowMs,
  });
});
afterAll(() => opened.close());
beforeEach(() => {
  nowMs = NOW;
  changes = [];
});

/** A server key of the shop, the change that made it forgotten. */
async function created(): Promise<{ apiKey: ApiKey; secret: string }> {
  const issued = await service.create({ name: 'key', projectId });
  changes = [];
  return issued;
}

describe('create rejects', () => {
  const NAME = 'must have 1 to 100 characters and no control characters';
  const NO_ORIGIN = 'a browser key requires at least one origin';
  const otherForm = (text: string, use: string) =>
    `${JSON.stringify(text)} is not a web origin as browsers send it: use ${use}`;
  const noOrigin = (text: string) =>
    `${JSON.stringify(text)} is not a web origin, such as https://shop.example without a slash at the end`;
  const LONG_ORIGIN = `https://${'a.'.repeat(130)}example`;
  const browser = (...allowedOrigins: string[]) => ({ role: 'browser' as const, allowedOrigins });

  test.each<[string, Partial<CreateApiKey>, string, string]>([
    ['a blank name', { name: ' ' }, 'name', NAME],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name', NAME],
    ['a name with a control character', { name: 'a\u001bb' }, 'name', NAME],
    [
      'a name of invisible characters',
      { name: '\u200b\u2060\u3164' },
      'name',
      'must have a visible character',
    ],
    ['an admin key in a project', { role: 'admin' }, 'projectId', 'an admin key belongs to no project'],
    [
      'a key without a project',
      { projectId: undefined },
      'projectId',
      'is required for every role but admin',
    ],
    ['an expiry that has passed', { expiresAt: new Date(NOW) }, 'expiresAt', 'must be in the future'],
    ['a browser key without an origin', { role: 'browser' }, 'allowedOrigins', NO_ORIGIN],
    ['origins for a server key', { allowedOrigins: [ORIGIN] }, 'allowedOrigins', 'is for browser keys only'],
    ['an origin with a path', browser(`${ORIGIN}/`), 'allowedOrigins', otherForm(`${ORIGIN}/`, ORIGIN)],
    [
      'an origin in capitals',
      browser('https://Shop.example'),
      'allowedOrigins',
      otherForm('https://Shop.example', ORIGIN),
    ],
    [
      'an international name',
      browser('https://bücher.example'),
      'allowedOrigins',
      otherForm('https://bücher.example', 'https://xn--bcher-kva.example'),
    ],
    [
      'an origin with a user',
      browser('https://me@shop.example'),
      'allowedOrigins',
      otherForm('https://me@shop.example', ORIGIN),
    ],
    [
      'an origin with its default port',
      browser(`${ORIGIN}:443`),
      'allowedOrigins',
      otherForm(`${ORIGIN}:443`, ORIGIN),
    ],
    ['a wildcard', browser('*'), 'allowedOrigins', noOrigin('*')],
    ['the null origin', browser('null'), 'allowedOrigins', noOrigin('null')],
    ['another scheme', browser('file:///tmp'), 'allowedOrigins', noOrigin('file:///tmp')],
    ['a scheme of its own', browser('ftp://shop.example'), 'allowedOrigins', noOrigin('ftp://shop.example')],
    ['what is no URL', browser('https://'), 'allowedOrigins', noOrigin('https://')],
    ['an origin longer than any', browser(LONG_ORIGIN), 'allowedOrigins', noOrigin(LONG_ORIGIN)],
    [
      '51 origins',
      browser(...Array.from({ length: 51 }, (_, i) => `https://shop${i}.example`)),
      'allowedOrigins',
      'must be at most 50',
    ],
    ['one bad origin of two', browser(ORIGIN, '*'), 'allowedOrigins', noOrigin('*')],
  ])('%s', async (_what, input, field, message) => {
    expect(await faultOf(() => service.create({ name: 'key', projectId, ...input }))).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ field, message }] },
    });
  });

  test('all errors at once', async () => {
    const error = await faultOf(() =>
      service.create({
        name: 'key',
        projectId: undefined,
        expiresAt: new Date(0),
        allowedOrigins: ['*'],
      }),
    );
    expect(error.details).toMatchObject({
      fields: [
        { field: 'projectId' },
        { field: 'expiresAt' },
        { field: 'allowedOrigins' },
        { field: 'allowedOrigins' },
      ],
    });
  });

  test('a project that does not exist', async () => {
    const error = await faultOf(() => service.create({ name: 'key', projectId: 'proj_none' }));
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
    ['an expiry to come', { expiresAt: new Date(NOW + 1) }],
    ['a name of 100 characters outside the BMP', { name: '🐕'.repeat(100) }],
    ['an admin key', { role: 'admin', projectId: undefined }],
  ])('%s', async (_what, input) => {
    const { apiKey, secret } = await service.create({ name: 'key', projectId, ...input });
    expect(apiKey).toMatchObject({
      id: expect.stringMatching(/^key_[0-9A-Za-z]{16}$/) as string,
      role: 'server',
      createdAt: new Date(NOW),
      epochs: NO_RESETS,
      usageToday: 0,
      ...input,
    });
    expect(await service.get(apiKey.id)).toEqual(apiKey);
    expect((await opened.store.findBySecretHash(hashSecret(secret)))?.key).toEqual(apiKey);
    expect(apiKey.secrets).toEqual([{ hash: hashSecret(secret), start: secret.slice(0, 14) }]);
    expect(changes).toEqual([{ keyId: apiKey.id }]);
  });
});

test('a new key is listed under the plan of its project', async () => {
  const { apiKey } = await created();
  const { entries } = await service.page({ first: 100, filter: { plan: 'pro' }, orderBy: 'createdAt' });
  expect(entries.map(({ key }) => key.id)).toContain(apiKey.id);
});

describe('rotate', () => {
  test.each([-1, 0.5, 604_801, Number.NaN])('rejects an overlap of %d seconds', async (overlap) => {
    const { apiKey } = await created();
    expect(await faultOf(() => service.rotate(apiKey.id, overlap))).toMatchObject({
      code: 'invalid_request',
      details: { fields: [{ field: 'overlapSeconds', message: 'must be an integer from 0 to 604800' }] },
    });
  });

  test.each([0, 60, 604_800])(
    'ends the old secret after %d seconds, and changes nothing else',
    async (overlap) => {
      const { apiKey, secret } = await created();
      const rotated = await service.rotate(apiKey.id, overlap);
      expect(rotated.secret).not.toBe(secret);
      expect(rotated.apiKey).toEqual({
        ...apiKey,
        secrets: [
          { hash: hashSecret(secret), start: secret.slice(0, 14), expiresAt: new Date(NOW + overlap * 1000) },
          { hash: hashSecret(rotated.secret), start: rotated.secret.slice(0, 14) },
        ],
      });
      expect(await service.get(apiKey.id)).toEqual(rotated.apiKey);
      expect(changes).toEqual([{ keyId: apiKey.id }]);
    },
  );

  test('is a conflict on a revoked key, and not_found for a missing key', async () => {
    const { apiKey } = await created();
    await service.revoke(apiKey.id);
    expect(await faultOf(() => service.rotate(apiKey.id, 0))).toMatchObject({
      code: 'conflict',
      message: `The API key ${apiKey.id} is revoked; create a new one.`,
    });
    expect((await faultOf(() => service.rotate('key_none', 0))).code).toBe('not_found');
  });
});

test('revoking twice is no error, and keeps the first time', async () => {
  const { apiKey } = await created();
  expect((await service.revoke(apiKey.id)).revokedAt).toEqual(new Date(NOW));
  nowMs += 1;
  expect((await service.revoke(apiKey.id)).revokedAt).toEqual(new Date(NOW));
  expect(changes).toEqual([{ keyId: apiKey.id }, { keyId: apiKey.id }]);
});

test('resets the quota of the named window, or of all', async () => {
  const { apiKey } = await created();
  expect((await service.resetQuota(apiKey.id, 'day')).epochs).toEqual({ ...NO_RESETS, day: 1 });
  expect((await service.resetQuota(apiKey.id)).epochs).toEqual({
    ...Object.fromEntries(WINDOW_NAMES.map((name) => [name, 1])),
    day: 2,
  });
  expect(changes).toEqual([{ keyId: apiKey.id }, { keyId: apiKey.id }]);
});

test('lifts a ban at once', async () => {
  const { apiKey } = await created();
  const policy = { strikes: 10, strikeWindowSeconds: 300, banSeconds: 60, maxBanSeconds: 60 };
  await opened.store.ban(apiKey.id, NOW, policy);
  nowMs += 1000;
  expect((await service.liftBan(apiKey.id)).ban?.until).toEqual(new Date(NOW + 1000));
  expect(changes).toEqual([{ keyId: apiKey.id }]);
});

test.each(['revoke', 'resetQuota', 'liftBan', 'get'] as const)(
  '%s of no key is not found',
  async (method) => {
    expect(await faultOf(() => service[method]('key_none'))).toMatchObject({
      code: 'not_found',
      message: 'There is no API key with the id key_none.',
    });
  },
);

describe('lists', () => {
  test('have every key, or those of a project', async () => {
    const { apiKey } = await created();
    const { apiKey: admin } = await service.create({ name: 'admin', role: 'admin' });
    const ids = async (filter?: { projectId: string }) => (await service.list(filter)).map(({ id }) => id);
    expect(await ids()).toEqual(expect.arrayContaining([apiKey.id, admin.id]));
    expect(await ids({ projectId })).toContain(apiKey.id);
    expect(await ids({ projectId })).not.toContain(admin.id);
  });

  test('filter by the state that a key has now', async () => {
    const { apiKey } = await service.create({ name: 'ending', projectId, expiresAt: new Date(NOW + 1) });
    const expired = async () => {
      const page = await service.page({ first: 100, filter: { state: 'expired' }, orderBy: 'createdAt' });
      return page.entries.map(({ key }) => key.id);
    };
    expect(await expired()).not.toContain(apiKey.id);
    nowMs += 1;
    expect(await expired()).toContain(apiKey.id);
  });

  test('reject a search for text that no name can contain', async () => {
    const attempt = () => service.page({ first: 1, filter: { nameContains: 'a\0' }, orderBy: 'createdAt' });
    expect((await faultOf(attempt)).details).toMatchObject({ fields: [{ field: 'nameContains' }] });
  });
});
