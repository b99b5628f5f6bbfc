import type { AuditRecord } from '../../../../src/features/audit/audit-record.js';
import { hashSecret } from '../../../../src/features/keys/secret.js';
import { createToken, hashToken, openHash } from '../../../../src/features/keys/sessions/session-token.js';
import { serviceUnavailable } from '../../../../src/lib/errors.js';
import { openSessions, type TestSessions } from '../../../support/sessions.js';

const NOON = Date.parse('2029-06-15T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const ENDED = { code: 'invalid_api_key', message: 'This session has ended: sign in again.' };
const DOWN = { code: 'service_unavailable' };

let nowMs = NOON;
let opened: TestSessions;
let sessions: ReturnType<TestSessions['service']>;
beforeAll(async () => {
  opened = await openSessions(() => nowMs);
  sessions = opened.service();
});
afterAll(() => opened.close());
beforeEach(() => {
  nowMs = NOON;
});

async function enter(earlierToken?: string) {
  const { key, secret } = await opened.key();
  const caller = await sessions.identify(secret);
  return { key, secret, ...(await sessions.open(caller, { earlierToken })) };
}
const recordsOf = async (apiKeyId: string): Promise<AuditRecord[]> =>
  (await opened.audit.list({ first: 10, target: { apiKeyId } })).records;

describe('a session', () => {
  test('is found by its token alone, with its key, and stores neither token nor secret', async () => {
    const { key, secret, token, session } = await enter();
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(session).toEqual({
      tokenHash: hashToken(token),
      sealedSecretHash: expect.any(String) as string,
      keyId: key.id,
      createdAt: new Date(NOON),
      expiresAt: new Date(NOON + 2 * HOUR_MS),
      endsAt: new Date(NOON + 12 * HOUR_MS),
    });
    const found = await sessions.find(token);
    expect(found.session).toEqual(session);
    expect(found.caller.key.id).toBe(key.id);
    expect(openHash(session.sealedSecretHash, token)).toBe(hashSecret(secret));
    expect(JSON.stringify(await opened.store.find(session.tokenHash))).not.toContain(token);
  });

  test.each(['', 'nonsense', 'x'.repeat(42), 'x'.repeat(44), `${'x'.repeat(42)}!`])(
    'is not looked up for %j, which is no token',
    async (token) => {
      let lookUps = 0;
      const find = () => {
        lookUps += 1;
        return Promise.resolve(undefined);
      };
      const counting = opened.service({ sessions: { ...opened.store, find } });
      await expect(counting.find(token)).rejects.toMatchObject(ENDED);
      expect(lookUps).toBe(0);
      await expect(counting.find(createToken())).rejects.toMatchObject(ENDED);
      expect(lookUps).toBe(1);
    },
  );

  test('ends two hours after the last request that was written', async () => {
    const { token, session } = await enter();
    const expiry = async () => (await opened.store.find(session.tokenHash))?.expiresAt.getTime();
    nowMs += 59_999;
    await sessions.find(token);
    expect(await expiry()).toBe(NOON + 2 * HOUR_MS);
    nowMs += 1;
    await sessions.find(token);
    expect(await expiry()).toBe(NOON + 60_000 + 2 * HOUR_MS);
    nowMs += 2 * HOUR_MS - 1;
    await opened.store.extend(session.tokenHash, new Date(NOON));
    expect((await sessions.find(token)).session.expiresAt.getTime()).toBe(NOON + 60_000 + 2 * HOUR_MS);
    nowMs += 2 * HOUR_MS;
    await expect(sessions.find(token)).rejects.toMatchObject(ENDED);
  });

  test('ends twelve hours after signing in, however much it is used', async () => {
    const { token } = await enter();
    for (let hour = 1; hour < 12; hour++) {
      nowMs += HOUR_MS;
      await sessions.find(token);
    }
    nowMs += HOUR_MS - 1;
    expect((await sessions.find(token)).session.expiresAt.getTime()).toBe(NOON + 12 * HOUR_MS);
    nowMs += 1;
    await expect(sessions.find(token)).rejects.toMatchObject(ENDED);
  });

  test('ends with its secret, but not while keys cannot be checked', async () => {
    const { token } = await enter();
    const { key, secret } = await opened.key({ expiresAt: new Date(NOON + 1000) });
    const { token: short } = await sessions.open(await sessions.identify(secret));
    expect((await sessions.find(short)).caller.key.id).toBe(key.id);
    nowMs += 1000;
    await expect(sessions.find(short)).rejects.toMatchObject(ENDED);

    const failing = (error: Error) =>
      opened.service({
        authenticator: { ...opened.authenticator, authenticateHash: () => Promise.reject(error) },
      });
    const down = failing(serviceUnavailable('The store does not answer.', undefined));
    await expect(down.find(token)).rejects.toMatchObject(DOWN);
    await expect(failing(new Error('a mistake')).find(token)).rejects.toThrow('a mistake');
  });

  test('ends if its key no longer has a role that signs in', async () => {
    const { token, caller } = await enter();
    const server = { ...caller, key: { ...caller.key, role: 'server' as const } };
    const changed = opened.service({
      authenticator: { ...opened.authenticator, authenticateHash: () => Promise.resolve(server) },
    });
    await expect(changed.find(token)).rejects.toMatchObject(ENDED);
  });
});

describe('who signs in', () => {
  test.each(['server', 'browser'] as const)('not a %s key: 403 names the roles that may', async (role) => {
    const { key, secret } = await opened.key();
    const asRole = opened.service({
      authenticator: {
        ...opened.authenticator,
        authenticate: async (given) => {
          const caller = await opened.authenticator.authenticate(given);
          return { ...caller, key: { ...key, role } };
        },
      },
    });
    await expect(asRole.identify(secret)).rejects.toMatchObject({
      code: 'forbidden',
      message: `Sign in with a key that has the role staff, owner or admin. This key has the role ${role}.`,
    });
  });

  test('not an unknown secret', async () => {
    await expect(sessions.identify('nonsense')).rejects.toMatchObject({ code: 'invalid_api_key' });
  });

  test('the audit log names the key, its project and its role', async () => {
    const { caller } = await enter();
    const project = {
      id: 'project_1',
      name: 'Zoo',
      slug: 'zoo',
      plan: 'free' as const,
      createdAt: new Date(NOON),
    };
    await opened.projects.insert(project);
    const { secret } = await opened.key({ id: 'key_owner', role: 'owner', projectId: project.id });
    const owner = await sessions.identify(secret);
    const signedIn = await sessions.open(owner);
    const endsAt = signedIn.session.endsAt.toISOString();
    const actor = { keyId: 'key_owner', role: 'owner' };
    const target = { projectId: 'project_1', apiKeyId: 'key_owner' };
    expect(await recordsOf('key_owner')).toMatchObject([
      { at: new Date(NOON), action: 'session.signIn', actor, target, after: { endsAt } },
    ]);
    await sessions.signOut(signedIn);
    expect(await recordsOf('key_owner')).toMatchObject([
      { action: 'session.signOut', actor, target, before: { endsAt }, after: { endsAt: null } },
      { action: 'session.signIn' },
    ]);
    expect((await recordsOf(caller.key.id))[0]).toMatchObject({ actor: { role: 'admin' } });
  });
});

describe('signing out', () => {
  test('ends the session, and writes one record however often it is asked', async () => {
    const { key, token, ...signedIn } = await enter();
    await sessions.signOut(signedIn);
    await sessions.signOut(signedIn);
    await expect(sessions.find(token)).rejects.toMatchObject(ENDED);
    const records = await recordsOf(key.id);
    expect(records.map(({ action }) => action)).toEqual(['session.signOut', 'session.signIn']);
    expect(records[0]?.after).toEqual({ endsAt: null });
  });

  test('the session that the browser had ends when it signs in again', async () => {
    const first = await enter();
    const second = await enter(first.token);
    await expect(sessions.find(first.token)).rejects.toMatchObject(ENDED);
    expect((await sessions.find(second.token)).caller.key.id).toBe(second.key.id);
    expect((await recordsOf(first.key.id)).map(({ action }) => action)).toEqual([
      'session.signOut',
      'session.signIn',
    ]);
  });

  test('one that has ended already is no hindrance; one that cannot be checked is', async () => {
    const { token } = await enter(createToken());
    expect((await sessions.find(token)).session.tokenHash).toBe(hashToken(token));
    const { caller } = await enter();
    const find = () => Promise.reject(serviceUnavailable('The store does not answer.', undefined));
    const down = opened.service({ sessions: { ...opened.store, find } });
    await expect(down.open(caller, { earlierToken: token })).rejects.toMatchObject(DOWN);
  });

  test('the sessions of removed keys go, and no others', async () => {
    const [first, second, third] = [await enter(), await enter(), await enter()];
    await opened.store.removeOfKeys([first.key.id, second.key.id]);
    for (const { token } of [first, second]) await expect(sessions.find(token)).rejects.toMatchObject(ENDED);
    expect((await sessions.find(third.token)).session.keyId).toBe(third.key.id);
  });
});
