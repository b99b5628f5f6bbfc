import type { Administration } from '../../../src/features/administration/administration.js';
import type { Caller } from '../../../src/features/keys/caller.js';
import { useGateway } from '../../support/gateway.js';
import { until } from '../../support/until.js';
import { withResolvers } from '../../support/with-resolvers.js';
import { siteOf } from '../publishing/deploys/archives.js';

/** Changes whose caller was valid when it was authenticated, and is not when the change is stored. */
const gateway = useGateway({ env: { ADMIN_API_KEY: 'configured-admin-key-of-this-test' } });
afterEach(() => jest.restoreAllMocks());

const change = () => gateway.services.administration({ role: 'command line' });

/** A caller with everything that it could change, in one project. */
async function newCaller() {
  const { services } = gateway;
  const { secret, apiKey } = await gateway.keyOn('pro', undefined, { role: 'owner' });
  const projectId = apiKey.projectId ?? '';
  const { apiKey: other } = await services.apiKeys.create({ name: 'Other', projectId });
  const first = await change().deploySite({ projectId }, [{ path: 'index.html', bytes: Buffer.from('1') }]);
  const live = await change().deploySite({ projectId }, [{ path: 'index.html', bytes: Buffer.from('2') }]);
  const awaiting = await change().createDeploy({ projectId });
  return {
    secret,
    keyId: apiKey.id,
    projectId,
    other,
    first,
    live,
    awaiting,
    caller: await services.authenticator.authenticate(secret),
    /** All that a change could leave behind. */
    state: async () => ({
      project: await services.projects.get(projectId).catch(() => undefined),
      projects: (await services.projects.list()).length,
      keys: (await services.apiKeys.list({ projectId })).map(({ lastUsedAt: _lastUsedAt, ...key }) => key),
      deploys: (await services.deploys.page(projectId, 100, undefined)).deploys.map(({ id, state }) => [
        id,
        state,
      ]),
      records: (await services.audit.list({ first: 100, target: {}, actorKeyId: apiKey.id })).records.length,
    }),
  };
}
type Owned = Awaited<ReturnType<typeof newCaller>>;

async function* bytesOf(archive: Promise<Buffer>): AsyncGenerator<Uint8Array> {
  yield await archive;
}

const CHANGES: Record<keyof Administration, (as: Administration, owned: Owned) => Promise<unknown>> = {
  createProject: (as) => as.createProject({ name: 'New', plan: 'free' }),
  updateProject: (as, { projectId }) => as.updateProject(projectId, { name: 'Renamed' }),
  changePlan: (as, { projectId }) => as.changePlan(projectId, 'business'),
  deleteProject: (as, { projectId }) => as.deleteProject(projectId, 'pro project'),
  createApiKey: (as, { projectId }) => as.createApiKey({ name: 'Successor', role: 'owner', projectId }),
  updateApiKey: (as, { other }) => as.updateApiKey(other.id, { name: 'Renamed' }),
  rotateApiKey: (as, { other }) => as.rotateApiKey(other.id, 60),
  disableApiKey: (as, { other }) => as.disableApiKey(other.id),
  enableApiKey: (as, { other }) => as.enableApiKey(other.id),
  revokeApiKey: (as, { other }) => as.revokeApiKey(other.id),
  invite: (as, { projectId }) => as.invite({ name: 'Maria', projectId }),
  inviteAgain: (as, { other }) => as.inviteAgain(other.id),
  resetQuota: (as, { other }) => as.resetQuota(other.id),
  liftBan: (as, { other }) => as.liftBan(other.id),
  createPet: (as, { projectId }) =>
    as.createPet({ name: 'New', categoryId: 1n, status: 'available' }, projectId),
  updatePet: (as) => as.updatePet(1n, { name: 'Renamed' }, { scope: 'all' }),
  deletePet: (as) => as.deletePet(1n, { scope: 'all' }),
  deletePetsOf: (as, { projectId }) => as.deletePetsOf(projectId),
  createDeploy: (as, { projectId }) => as.createDeploy({ projectId }),
  deploySite: (as, { projectId }) =>
    as.deploySite({ projectId }, [{ path: 'index.html', bytes: Buffer.from('by a revoked key') }]),
  uploadDeploy: (as, { awaiting }) => as.uploadDeploy(awaiting, bytesOf(siteOf('by a revoked key'))),
  rollbackDeploy: (as, { projectId, first }) => as.rollbackDeploy(projectId, first.id),
  addDomain: (as, { projectId }) => as.addDomain(projectId, 'shop.example'),
  addDomainPair: (as, { projectId }) => as.addDomainPair(projectId, 'shop.example'),
  verifyDomain: (as) => as.verifyDomain('dom_unknown'),
  setPrimaryDomain: (as, { projectId }) => as.setPrimaryDomain(projectId, undefined),
  setRedirect: (as, { projectId }) =>
    as.setRedirect(projectId, { from: 'a.example', to: 'b.example', status: 301 }),
  removeRedirect: (as, { projectId }) => as.removeRedirect(projectId, 'a.example'),
  removeDomain: (as) => as.removeDomain('dom_unknown'),
};
const OVER = { code: 'invalid_api_key', status: 401 };

test.each(Object.entries(CHANGES))('%s by a key that was revoked changes nothing', async (_, run) => {
  const owned = await newCaller();
  await change().revokeApiKey(owned.keyId);
  const before = await owned.state();
  await expect(run(gateway.services.administration(owned.caller), owned)).rejects.toMatchObject(OVER);
  expect(await owned.state()).toEqual(before);
});

test('the storefront of a revoked key gets no key', async () => {
  const owned = await newCaller();
  await change().revokeApiKey(owned.keyId);
  const before = await owned.state();
  const as = gateway.services.administration(owned.caller);
  await expect(as.createDeploy({ projectId: owned.projectId, template: 'storefront' })).rejects.toMatchObject(
    OVER,
  );
  expect(await owned.state()).toEqual(before);
});

describe('a caller is no longer valid', () => {
  /** A caller by a session, of this key or of the configured admin key. */
  async function signedIn(secret: string) {
    const { sessions } = gateway.services;
    const { token } = await sessions.open(await sessions.identify(secret));
    return sessions.find(token);
  }
  const rename = (caller: Caller, { projectId }: Owned) =>
    gateway.services.administration(caller).updateProject(projectId, { name: 'Renamed' });

  test('once the secret that it has is rotated out, and is while the secrets overlap', async () => {
    const owned = await newCaller();
    await change().rotateApiKey(owned.keyId, 3600);
    await expect(rename(owned.caller, owned)).resolves.toMatchObject({ name: 'Renamed' });
    await change().rotateApiKey(owned.keyId, 0);
    await expect(rename(owned.caller, owned)).rejects.toMatchObject(OVER);
  });

  test('once its project is deleted', async () => {
    const owned = await newCaller();
    await change().deleteProject(owned.projectId, 'pro project');
    const as = gateway.services.administration(owned.caller);
    await expect(as.updateApiKey(owned.other.id, { name: 'Renamed' })).rejects.toMatchObject(OVER);
  });

  test.each(['its key', 'the configured admin key'])(
    'once its session with %s is signed out',
    async (which) => {
      const owned = await newCaller();
      const session = await signedIn(
        which === 'its key' ? owned.secret : 'configured-admin-key-of-this-test',
      );
      await expect(rename(session.caller, owned)).resolves.toMatchObject({ name: 'Renamed' });
      await gateway.services.sessions.signOut(session);
      await expect(rename(session.caller, owned)).rejects.toMatchObject(OVER);
    },
  );

  test('for a session, to end other sessions once its key is revoked', async () => {
    const owned = await newCaller();
    const session = await signedIn(owned.secret);
    await signedIn(owned.secret);
    await change().revokeApiKey(owned.keyId);
    await expect(gateway.services.sessions.endOthers(session)).rejects.toMatchObject(OVER);
  });

  test('to open a session, if its key was revoked after it was identified', async () => {
    const owned = await newCaller();
    const { sessions, audit } = gateway.services;
    const caller = await sessions.identify(owned.secret);
    await change().revokeApiKey(owned.keyId);
    await expect(sessions.open(caller)).rejects.toMatchObject(OVER);
    expect((await audit.list({ first: 10, target: {}, actorKeyId: owned.keyId })).records).toEqual([]);
  });
});

/** A revocation that is acknowledged comes after every change that its key made. */
test.each<[string, (owned: Owned) => Promise<unknown>]>([
  ['a revocation', ({ keyId }) => change().revokeApiKey(keyId)],
  ['a rotation', ({ keyId }) => change().rotateApiKey(keyId, 0)],
])('%s waits for a change that its key is making', async (_, end) => {
  const owned = await newCaller();
  const { services } = gateway;
  const held = withResolvers<undefined>();
  const add = services.audit.add.bind(services.audit);
  const atRecord = jest.spyOn(services.audit, 'add').mockImplementationOnce(async (record) => {
    await held.promise;
    return add(record);
  });
  const order: string[] = [];
  const changing = services
    .administration(owned.caller)
    .updateApiKey(owned.other.id, { name: 'Renamed' })
    .then(() => order.push('changed'));
  await until('the change to be about to commit', () => Promise.resolve(atRecord.mock.calls.length === 1));
  const claim = jest.spyOn(services.apiKeysStore, 'claim');
  const ending = end(owned).then(() => order.push('ended'));
  await until('the end to conflict with the change, and start again', () =>
    Promise.resolve(claim.mock.calls.length > 0),
  );
  held.resolve(undefined);
  await Promise.all([changing, ending]);
  expect(order).toEqual(['changed', 'ended']);
});

test('changes that one key makes at once are all made', async () => {
  const owned = await newCaller();
  const as = gateway.services.administration(owned.caller);
  const names = Array.from({ length: 20 }, (_, i) => `Name ${i}`);
  const renamed = await Promise.all(names.map((name) => as.updateApiKey(owned.other.id, { name })));
  expect(renamed.map(({ name }) => name)).toEqual(names);
});
