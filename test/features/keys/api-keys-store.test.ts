import { mongo } from 'mongoose';
import type { ApiKey } from '../../../src/features/keys/api-key.js';
import type {
  ApiKeyOrder,
  ApiKeysFilter,
  ApiKeysStore,
  KeyUse,
} from '../../../src/features/keys/api-keys-store.js';
import {
  API_KEYS_COLLECTION,
  type ApiKeyDocument,
} from '../../../src/features/keys/mongo-api-key-document.js';
import { DAY_MS, utcDay } from '../../../src/lib/clock.js';
import type { Project } from '../../../src/features/projects/project.js';
import type { PlanId } from '../../../src/features/plans/plans.js';
import { NO_RESETS } from '../../../src/features/plans/window.js';
import { faultOf } from '../../support/fault-of.js';
import { adminKey } from '../../support/admin-key.js';
import { keyUse, openKeyStore, type TestKeyStore } from '../../support/key-store.js';

/** What src/features/keys/api-keys-store.ts promises, kept by the store in MongoDB. */
const NOW = Date.parse('2029-06-15T12:00:00.000Z');
const BEFORE = new Date(NOW - 1);
const AT = new Date(NOW);
const AFTER = new Date(NOW + 1);
const BAN_POLICY = { strikes: 10, strikeWindowSeconds: 300, banSeconds: 60, maxBanSeconds: 200 };

let opened: TestKeyStore;
let store: ApiKeysStore;
let nowMs: number;
let made = 0;

beforeAll(async () => {
  opened = await openKeyStore(() => nowMs);
  store = opened.store;
});
afterAll(() => opened.close());
beforeEach(async () => {
  nowMs = NOW;
  await opened.connection.collection(API_KEYS_COLLECTION).deleteMany({});
});

async function insert(fields: Partial<ApiKey> = {}, plan?: PlanId): Promise<ApiKey> {
  const key: ApiKey = { ...adminKey().key, id: `key_${made++}`, createdAt: BEFORE, ...fields };
  await store.insert(key, plan);
  return key;
}
async function insertProject(id: string): Promise<Project> {
  const project: Project = { id, name: 'Zoo', slug: id, plan: 'free', createdAt: BEFORE };
  await opened.projects.insert(project);
  return project;
}
const secretNamed = (hash: string) => ({ hash, start: 'pets_live_AbCd' });
const revisionOf = async (id: string) =>
  (await opened.connection.collection<ApiKeyDocument>(API_KEYS_COLLECTION).findOne({ _id: id }))?.revision;

describe('a key', () => {
  test('is stored with all its properties', async () => {
    const key = await insert({
      role: 'browser',
      projectId: 'proj_a',
      allowedOrigins: ['https://shop.example'],
      expiresAt: AFTER,
      revokedAt: AT,
      lastUsedAt: BEFORE,
      secrets: [{ ...secretNamed('old'), expiresAt: AT }, secretNamed('new')],
      ban: { until: AFTER, offences: 2, day: '2029-06-15' },
      epochs: { ...NO_RESETS, minute: 3, day: 4 },
    });
    expect(await store.get(key.id)).toEqual(key);
  });

  test('is not overwritten by another key with its id', async () => {
    const key = await insert({ name: 'first' });
    expect(await store.insert({ ...key, name: 'second' }, undefined)).toBe(false);
    expect((await store.get(key.id))?.name).toBe('first');
    expect(await store.insert({ ...adminKey().key, id: `key_${made++}` }, undefined)).toBe(true);
  });

  test('that is not there is undefined, for every change too', async () => {
    const id = 'key_none';
    expect(
      await Promise.all([
        store.get(id),
        store.addSecret(id, secretNamed('x'), AT),
        store.revoke(id, AT),
        store.raiseEpochs(id, ['minute']),
        store.ban(id, NOW, BAN_POLICY),
        store.liftBan(id, AT),
      ]),
    ).toEqual(Array(6).fill(undefined));
    expect(await store.list({})).toEqual([]);
  });
});

describe('a secret', () => {
  test('finds its key and its project, by any of its secrets', async () => {
    const project = await insertProject('proj_secret');
    const key = await insert({
      role: 'server',
      projectId: project.id,
      secrets: [{ ...secretNamed('older'), expiresAt: BEFORE }, secretNamed('newer')],
    });
    for (const hash of ['older', 'newer'])
      expect(await store.findBySecretHash(hash)).toEqual({ key, project });
  });

  test('finds its own key among many', async () => {
    const keys = [];
    for (const hash of ['first', 'second', 'third'])
      keys.push(await insert({ secrets: [secretNamed(hash)] }));
    expect((await store.findBySecretHash('second'))?.key).toEqual(keys[1]);
    expect(await store.findBySecretHash('fourth')).toBeUndefined();
  });

  test('finds an admin key, which has no project', async () => {
    const key = await insert({ secrets: [secretNamed('admin')] });
    expect(await store.findBySecretHash('admin')).toEqual({ key, project: undefined });
  });

  test('finds an ended key as well, so that the caller can say why it is rejected', async () => {
    const key = await insert({ secrets: [secretNamed('ended')], revokedAt: BEFORE, expiresAt: BEFORE });
    expect((await store.findBySecretHash('ended'))?.key).toEqual(key);
  });

  test('finds nothing if no key has it, or if the project of the key is gone', async () => {
    await insert({ role: 'server', projectId: 'proj_gone', secrets: [secretNamed('orphan')] });
    expect(await store.findBySecretHash('orphan')).toBeUndefined();
    expect(await store.findBySecretHash('unknown')).toBeUndefined();
  });
});

describe('rotation', () => {
  test('adds a secret and ends the others at the time given, none of them later than it would have', async () => {
    const end = new Date(NOW + 5000);
    for (const [name, expiresAt, endsAt] of [
      ['ends sooner', AFTER, AFTER],
      ['would end later', new Date(NOW + 9000), end],
    ] as const) {
      const key = await insert({
        secrets: [{ ...secretNamed(name), expiresAt }, secretNamed(`after ${name}`)],
      });
      const rotated = await store.addSecret(key.id, secretNamed(`new for ${name}`), end);
      expect(rotated?.secrets).toEqual([
        { ...secretNamed(name), expiresAt: endsAt },
        { ...secretNamed(`after ${name}`), expiresAt: end },
        secretNamed(`new for ${name}`),
      ]);
      expect(await store.get(key.id)).toEqual(rotated);
    }
  });

  test('keeps three secrets: the oldest one ends', async () => {
    const key = await insert({
      secrets: [
        { ...secretNamed('oldest'), expiresAt: AFTER },
        { ...secretNamed('second'), expiresAt: AFTER },
        secretNamed('third'),
      ],
    });
    const rotated = await store.addSecret(key.id, secretNamed('fourth'), AFTER);
    expect(rotated?.secrets.map(({ hash }) => hash)).toEqual(['second', 'third', 'fourth']);
  });

  test('drops the secrets that have ended', async () => {
    const key = await insert({
      secrets: [
        { ...secretNamed('has ended'), expiresAt: BEFORE },
        { ...secretNamed('ends now'), expiresAt: AT },
        { ...secretNamed('ends soon'), expiresAt: AFTER },
        secretNamed('current'),
      ],
    });
    const rotated = await store.addSecret(key.id, secretNamed('new'), new Date(NOW + 5000));
    expect(rotated?.secrets.map(({ hash }) => hash)).toEqual(['ends soon', 'current', 'new']);
  });

  test('does nothing to a revoked key', async () => {
    const key = await insert({ revokedAt: BEFORE });
    expect(await store.addSecret(key.id, secretNamed('new'), AT)).toBeUndefined();
    expect(await store.get(key.id)).toEqual(key);
  });
});

test('a change is made to its key and to no other', async () => {
  const others = [await insert({ secrets: [secretNamed('first')] })];
  const { id } = await insert({ secrets: [secretNamed('changed')] });
  others.push(await insert({ secrets: [secretNamed('third')] }));
  await store.addSecret(id, secretNamed('new'), AT);
  await store.raiseEpochs(id, ['minute', 'day']);
  await store.ban(id, NOW, BAN_POLICY);
  await store.liftBan(id, AFTER);
  await store.recordUse([keyUse(id, AT, 1, true, 1)]);
  await store.revoke(id, AT);
  expect(await Promise.all(others.map((other) => store.get(other.id)))).toEqual(others);
});

test('a revoked key keeps the first time', async () => {
  const { id } = await insert();
  expect((await store.revoke(id, AT))?.revokedAt).toEqual(AT);
  expect((await store.revoke(id, AFTER))?.revokedAt).toEqual(AT);
});

describe('a ban', () => {
  const banAt = (id: string, atMs: number) => store.ban(id, atMs, BAN_POLICY);

  test('doubles with each ban of the day up to the maximum, and starts over the next day', async () => {
    const { id } = await insert();
    let atMs = NOW;
    const lengths: number[] = [];
    for (let i = 1; i <= 4; i++) {
      const ban = (await banAt(id, atMs))?.ban;
      expect(ban).toMatchObject({ offences: i, day: utcDay(NOW) });
      lengths.push(((ban?.until.getTime() ?? 0) - atMs) / 1000);
      atMs = ban?.until.getTime() ?? 0;
    }
    expect(lengths).toEqual([60, 120, 200, 200]);
    expect((await banAt(id, NOW + DAY_MS))?.ban).toEqual({
      until: new Date(NOW + DAY_MS + 60_000),
      offences: 1,
      day: utcDay(NOW + DAY_MS),
    });
  });

  test('that is active stays unchanged until its last millisecond', async () => {
    const { id } = await insert();
    const ban = (await banAt(id, NOW))?.ban;
    expect(await banAt(id, NOW + 59_999)).toBeUndefined();
    expect((await store.get(id))?.ban).toEqual(ban);
    expect((await banAt(id, NOW + 60_000))?.ban?.offences).toBe(2);
  });

  test('is lifted at once; the offences of the day stay', async () => {
    const { id } = await insert();
    await banAt(id, NOW);
    expect((await store.liftBan(id, AFTER))?.ban).toEqual({ until: AFTER, offences: 1, day: utcDay(NOW) });
  });

  test('that has ended keeps its end when it is lifted, and none is made by lifting', async () => {
    const [banned, never] = [await insert(), await insert()];
    const ban = (await banAt(banned.id, NOW))?.ban;
    expect((await store.liftBan(banned.id, new Date(NOW + DAY_MS)))?.ban).toEqual(ban);
    expect((await store.liftBan(never.id, AT))?.ban).toBeUndefined();
  });
});

describe('uses', () => {
  test('are kept with the latest time and the highest count, in whatever order they are written', async () => {
    const { id } = await insert();
    await store.recordUse([keyUse(id, AT, 7)]);
    await store.recordUse([keyUse(id, BEFORE, 5)]);
    expect(await store.get(id)).toMatchObject({ lastUsedAt: AT, usageToday: 7 });
  });

  test('without a day say only when', async () => {
    const { id } = await insert();
    await store.recordUse([keyUse(id, AT)]);
    expect(await store.get(id)).toMatchObject({ lastUsedAt: AT, usageToday: 0 });
  });

  test('of yesterday are none of today', async () => {
    const { id } = await insert();
    await store.recordUse([keyUse(id, AT, 7)]);
    nowMs += DAY_MS;
    expect((await store.get(id))?.usageToday).toBe(0);
    await store.recordUse([keyUse(id, new Date(nowMs), 1)]);
    expect((await store.get(id))?.usageToday).toBe(1);
  });

  test('of several keys are written together; a deleted key does not block the others', async () => {
    const { id } = await insert();
    await store.recordUse([keyUse('key_none', AT, 1), keyUse(id, AT, 2)]);
    expect((await store.get(id))?.usageToday).toBe(2);
    expect(await store.get('key_none')).toBeUndefined();
  });

  test('that were counted before a reset of the day are dropped, also when they are written after it', async () => {
    const { id } = await insert();
    await store.recordUse([keyUse(id, AT, 7, true)]);
    expect((await store.raiseEpochs(id, ['day']))?.usageToday).toBe(0);
    await store.recordUse([keyUse(id, AT, 9, true)]);
    expect((await store.get(id))?.usageToday).toBe(0);
    expect(await idsOf({ nearLimit: true })).toEqual([]);
    await store.recordUse([keyUse(id, AT, 1, false, 1)]);
    expect((await store.get(id))?.usageToday).toBe(1);
  });

  describe('of more keys than are written at once', () => {
    const WAIT_MS = 20 * 60_000;
    const stored = (id: string) =>
      opened.connection.collection<ApiKeyDocument>(API_KEYS_COLLECTION).findOne({ _id: id });
    const waitingParts = () => opened.connection.collection('keyUses').countDocuments();
    /** With those of 500 other keys. */
    const recordMany = (...uses: KeyUse[]) =>
      store.recordUse([...uses, ...Array.from({ length: 500 }, (_, i) => keyUse(`key_other_${i}`, AT, 1))]);
    async function writeAll(): Promise<void> {
      nowMs += WAIT_MS;
      // Each write of any uses has one of the 128 parts written; here, several gateways write.
      await Promise.all(Array.from({ length: 130 }, () => store.recordUse([])));
    }
    beforeEach(() => opened.connection.collection('keyUses').deleteMany({}));

    test("are shown at once, by every read, though the key's own document and its indexes change later", async () => {
      const { id } = await insert({ projectId: 'proj_many' });
      await recordMany(keyUse(id, AT, 7));
      expect(await stored(id)).not.toHaveProperty('lastUsedAt');
      const shown = { id, lastUsedAt: AT, usageToday: 7 };
      const reads = async () => [
        await store.get(id),
        ...(await store.getMany([id])),
        ...(await store.list({ projectId: 'proj_many' })),
        (await store.page({ first: 1, filter: { projectId: 'proj_many' }, orderBy: 'createdAt', nowMs }))
          .entries[0]?.key,
        await store.update(id, { name: 'changed' }),
      ];
      for (const read of await reads()) expect(read).toMatchObject(shown);
      await writeAll();
      expect(await stored(id)).toMatchObject({ lastUsedAt: AT });
      for (const read of await reads()) expect(read).toMatchObject(shown);
    });

    test('cost one update for many keys, and leave nothing behind', async () => {
      const ids = await Promise.all(Array.from({ length: 1000 }, async () => (await insert()).id));
      await store.recordUse(ids.map((id) => keyUse(id, AT, 3)));
      expect(await waitingParts()).toBeLessThanOrEqual(128);
      await writeAll();
      expect((await store.getMany(ids)).filter(({ usageToday }) => usageToday === 3)).toHaveLength(1000);
      await writeAll();
      expect(await waitingParts()).toBe(0);
    });

    test('are kept with the latest time and the highest count, of several gateways', async () => {
      const { id } = await insert();
      await recordMany(keyUse(id, AT, 7));
      await recordMany(keyUse(id, BEFORE, 5));
      await store.recordUse([keyUse(id, BEFORE, 6)]);
      expect(await store.get(id)).toMatchObject({ lastUsedAt: AT, usageToday: 7 });
      await store.recordUse([keyUse(id, AFTER, 8)]);
      await writeAll();
      expect(await store.get(id)).toMatchObject({ lastUsedAt: AFTER, usageToday: 8 });
    });

    test('that were counted before a reset of the day are dropped', async () => {
      const { id } = await insert();
      await recordMany(keyUse(id, AT, 7));
      expect(await store.raiseEpochs(id, ['day'])).toMatchObject({ lastUsedAt: AT, usageToday: 0 });
      await recordMany(keyUse(id, AFTER, 2, false, 1));
      expect(await store.get(id)).toMatchObject({ lastUsedAt: AFTER, usageToday: 2 });
      await writeAll();
      expect(await stored(id)).toMatchObject({ lastUsedAt: AFTER });
      expect(await store.get(id)).toMatchObject({ usageToday: 2 });
    });

    test('that come while earlier ones are written are not lost; a writing that fails is repeated', async () => {
      const { id } = await insert();
      await recordMany(keyUse(id, BEFORE, 1));
      nowMs += WAIT_MS;
      const cut = jest.spyOn(mongo.Collection.prototype, 'bulkWrite').mockRejectedValue(new Error('cut'));
      const failed = await Promise.allSettled(Array.from({ length: 130 }, () => store.recordUse([])));
      cut.mockRestore();
      expect(failed.some(({ status }) => status === 'rejected')).toBe(true);
      expect(await stored(id)).not.toHaveProperty('lastUsedAt');
      await recordMany(keyUse(id, AT, 2));
      await writeAll();
      await writeAll();
      expect(await store.get(id)).toMatchObject({ lastUsedAt: AT, usageToday: 2 });
      expect(await stored(id)).toMatchObject({ lastUsedAt: AT });
    });

    test('that are near their limit are found at once', async () => {
      const { id } = await insert();
      await recordMany(keyUse(id, AT, 9, true));
      expect(await idsOf({ nearLimit: true })).toEqual([id]);
    });

    test('that were rejected are found at once', async () => {
      const { id } = await insert();
      await recordMany({ ...keyUse(id, AT, 9), rejectedDay: utcDay(AT.getTime()) });
      expect(await idsOf({ rejectedToday: true })).toEqual([id]);
      expect(await stored(id)).toMatchObject({ lastUsedAt: AT });
    });
  });

  test('outlive a reset of the minute', async () => {
    const { id } = await insert();
    await store.recordUse([keyUse(id, AT, 7, true)]);
    expect((await store.raiseEpochs(id, ['minute']))?.usageToday).toBe(7);
    expect(await idsOf({ nearLimit: true })).toEqual([id]);
  });
});

test('a reset raises the epochs of the windows it names, and no other', async () => {
  const { id } = await insert();
  expect((await store.raiseEpochs(id, ['minute']))?.epochs).toEqual({ ...NO_RESETS, minute: 1 });
  expect((await store.raiseEpochs(id, ['minute', 'day']))?.epochs).toEqual({
    ...NO_RESETS,
    minute: 2,
    day: 1,
  });
});

test('watchers see every change that a request depends on, and no use', async () => {
  const { id } = await insert();
  const changes = [
    () => store.addSecret(id, secretNamed('watched'), AT),
    () => store.raiseEpochs(id, ['day']),
    () => store.ban(id, NOW, BAN_POLICY),
    () => store.liftBan(id, AT),
    () => store.revoke(id, AT),
  ];
  for (const [i, change] of changes.entries()) {
    expect(await revisionOf(id)).toBe(i);
    await change();
  }
  await store.recordUse([keyUse(id, AFTER, 1, false, 1)]);
  expect(await revisionOf(id)).toBe(changes.length);
});

/** The ids of all keys that pass, page by page to the end; none of the pages after the first is empty. */
async function idsOf(
  filter: ApiKeysFilter,
  orderBy: ApiKeyOrder = 'createdAt',
  first = 2,
): Promise<string[]> {
  const ids: string[] = [];
  let after: string | undefined;
  for (;;) {
    const { entries, hasMore } = await store.page({ first, filter, orderBy, after, nowMs });
    if (after !== undefined) expect(entries).not.toEqual([]);
    ids.push(...entries.map(({ key }) => key.id));
    after = entries.at(-1)?.cursor;
    if (!hasMore) return ids;
    expect(entries).toHaveLength(first);
    expect(new Set(ids).size).toBe(ids.length);
  }
}

describe('a list', () => {
  test('of all keys, or of a project, is oldest first, then by id', async () => {
    await insert({ id: 'b', createdAt: AT, projectId: 'proj_a' });
    await insert({ id: 'a', createdAt: AT });
    await insert({ id: 'c', createdAt: BEFORE, projectId: 'proj_a' });
    expect((await store.list({})).map(({ id }) => id)).toEqual(['c', 'a', 'b']);
    expect((await store.list({ projectId: 'proj_a' })).map(({ id }) => id)).toEqual(['c', 'b']);
  });

  test.each<[ApiKeyOrder, string[]]>([
    ['createdAt', ['c', 'a', 'b', 'd', 'e']],
    ['lastUsedAt', ['e', 'c', 'b', 'd', 'a']],
    ['usageToday', ['c', 'e', 'b', 'd', 'a']],
  ])('by %s gives each key once, ties by id, whatever has no value at its end', async (orderBy, expected) => {
    await insert({ id: 'a', createdAt: AT });
    await insert({ id: 'b', createdAt: AT });
    await insert({ id: 'c', createdAt: BEFORE });
    await insert({ id: 'd', createdAt: AFTER });
    await insert({ id: 'e', createdAt: AFTER });
    await store.recordUse([keyUse('b', BEFORE, 3), keyUse('c', AT, 5), keyUse('e', AT, 3)]);
    for (const first of [1, 2, 3, 4, 5]) expect(await idsOf({}, orderBy, first)).toEqual(expected);
  });

  describe('is narrowed to', () => {
    beforeEach(async () => {
      await insert({ id: 'plain', name: 'Shop' });
      await insert({ id: 'other', name: 'workSHOP 1', role: 'owner', projectId: 'proj_a' }, 'pro');
      await insert({ id: 'expired', expiresAt: AT });
      await insert({ id: 'expiring', expiresAt: AFTER });
      await insert({ id: 'revoked', revokedAt: BEFORE, expiresAt: BEFORE });
      await insert({ id: 'banned', ban: { until: AFTER, offences: 1, day: utcDay(NOW) } });
      await insert({ id: 'free again', ban: { until: AT, offences: 1, day: utcDay(NOW) } });
      await insert({ id: 'near' });
      await insert({ id: 'was near' });
      await store.recordUse([
        keyUse('near', AT, 9, true),
        keyUse('was near', new Date(NOW - DAY_MS), 9, true),
      ]);
    });

    const ALL = [
      'banned',
      'expired',
      'expiring',
      'free again',
      'near',
      'other',
      'plain',
      'revoked',
      'was near',
    ];
    const allBut = (...ids: string[]) => ALL.filter((id) => !ids.includes(id));

    test.each<[string, ApiKeysFilter, string[]]>([
      ['nothing', {}, ALL],
      ['a project', { projectId: 'proj_a' }, ['other']],
      ['a plan', { plan: 'pro' }, ['other']],
      ['a role', { role: 'owner' }, ['other']],
      ['another role', { role: 'admin' }, allBut('other')],
      ['revoked keys', { state: 'revoked' }, ['revoked']],
      ['keys that expired by themselves', { state: 'expired' }, ['expired']],
      ['keys that can be used', { state: 'active' }, allBut('revoked', 'expired')],
      ['banned keys', { banned: true }, ['banned']],
      ['keys that are not banned', { banned: false }, allBut('banned')],
      ['keys near their limit', { nearLimit: true }, ['near']],
      ['keys that are not', { nearLimit: false }, allBut('near')],
      ['a part of the name, in any case', { nameContains: 'sHoP' }, ['other', 'plain']],
      ['several at once', { role: 'admin', nameContains: 'shop' }, ['plain']],
      ['what nothing is', { role: 'owner', banned: true }, []],
    ])('%s', async (_what, filter, expected) => {
      expect(await idsOf(filter)).toEqual(expected);
    });

    test('the keys of a plan, which changes with the project, and then none is near its limit', async () => {
      await insert({ id: 'moved', projectId: 'proj_b' }, 'free');
      await store.recordUse([keyUse('moved', AT, 9, true)]);
      await store.setPlan('proj_b', 'business');
      expect(await idsOf({ plan: 'business' })).toEqual(['moved']);
      expect(await idsOf({ plan: 'free' })).toEqual([]);
      expect(await idsOf({ nearLimit: true })).toEqual(['near']);
    });
  });

  const encoded = (place: unknown) => Buffer.from(JSON.stringify(place)).toString('base64url');
  test.each([
    ['of another order', encoded(['lastUsedAt', 1, 'key_a'])],
    ['with a value of another kind', encoded(['createdAt', '1', 'key_a'])],
    ['with a time that is none', encoded(['createdAt', 1e20, 'key_a'])],
    ['without an id', encoded(['createdAt', 1])],
    ['of nobody’s making', 'x'],
  ])('does not go on from a cursor %s', async (_what, after) => {
    const attempt = () => store.page({ first: 1, filter: {}, orderBy: 'createdAt', after, nowMs });
    expect((await faultOf(attempt)).code).toBe('invalid_request');
  });
});
