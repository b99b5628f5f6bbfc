import { startGateway, useGateway, useStarted } from '../../support/gateway.js';
import { withResolvers } from '../../support/with-resolvers.js';

/** A key that makes changes all the time cannot delay what ends it. */
const QUOTA = { requestsPerMinute: 100_000, requestsPerDay: 1_000_000 };
const AT_ONCE = 20;

const gateway = useGateway({ env: { LOG_LEVEL: 'warn' } });
const beside = useStarted(() => startGateway({ env: { LOG_LEVEL: 'warn' }, beside: gateway }));

/** Changes `targetId` with the key, again and again, until it is rejected or the returned function is called. */
function keepChanging(secret: string, targetId: string) {
  let stopped = false;
  let changes = 0;
  const began = withResolvers<undefined>();
  const loops = Array.from({ length: AT_ONCE }, async (_, loop) => {
    const { url } = loop % 2 === 0 ? gateway : beside;
    while (!stopped) {
      const query = `mutation { updateApiKey(input: { id: "${targetId}", name: "Name ${changes}" }) { apiKey { id } } }`;
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      await response.text();
      if (response.status === 401) return;
      changes += 1;
      began.resolve(undefined);
    }
  });
  const stop = async () => {
    stopped = true;
    await Promise.all(loops);
  };
  return { began: began.promise, stop };
}

async function busyKey() {
  const { secret, apiKey } = await gateway.keyOn('enterprise', QUOTA, { role: 'owner' });
  const projectId = apiKey.projectId ?? '';
  const ofProject = (name: string) => gateway.services.apiKeys.create({ name, projectId, role: 'owner' });
  const [other, partner] = [await ofProject('Other'), await ofProject('Partner')];
  return { secret, id: apiKey.id, projectId, other, partner };
}
type Busy = Awaited<ReturnType<typeof busyKey>>;
const change = () => gateway.services.administration({ role: 'command line' });

test.each<[string, (busy: Busy) => Promise<unknown>]>([
  ['a revocation', ({ id }) => change().revokeApiKey(id)],
  ['a rotation', ({ id }) => change().rotateApiKey(id, 0)],
  [
    'the end of its other sessions',
    async ({ secret }) => {
      const { sessions } = gateway.services;
      const { token } = await sessions.open(await sessions.identify(secret));
      return sessions.endOthers(await sessions.find(token));
    },
  ],
])('%s is in time while its key makes changes on two nodes', async (_, end) => {
  const busy = await busyKey();
  const { began, stop } = keepChanging(busy.secret, busy.other.apiKey.id);
  await began;
  await expect(end(busy).finally(stop)).resolves.toBeDefined();
});

test('a revocation is in time while another key of the project changes the key', async () => {
  const busy = await busyKey();
  const loops = [
    keepChanging(busy.partner.secret, busy.id),
    keepChanging(busy.secret, busy.partner.apiKey.id),
  ];
  const stop = () => Promise.all(loops.map((loop) => loop.stop()));
  await Promise.all(loops.map((loop) => loop.began));
  await expect(change().revokeApiKey(busy.id).finally(stop)).resolves.toMatchObject({ id: busy.id });
});

test('changes go on after the key was rotated', async () => {
  const { id, other } = await busyKey();
  const { secret } = await change().rotateApiKey(id, 60);
  const as = gateway.services.administration(await gateway.services.authenticator.authenticate(secret));
  await expect(as.updateApiKey(other.apiKey.id, { name: 'Renamed' })).resolves.toMatchObject({
    name: 'Renamed',
  });
});

describe('a claim', () => {
  test('is not part of the transaction, restarts others, and ends with its own', async () => {
    const { id } = await busyKey();
    const { apiKeysStore: store } = gateway.services;
    await store.claim(id, 'mine');
    await store.claim(id, 'theirs');
    const restarts = { errorLabelSet: new Set(['TransientTransactionError']) };
    await expect(store.lock(id)).rejects.toMatchObject(restarts);
    await expect(store.lock(id, 'theirs')).rejects.toMatchObject(restarts);
    await expect(store.requireUnclaimed(id, 'theirs')).rejects.toMatchObject(restarts);
    await expect(store.requireUnclaimed(id, 'mine')).resolves.toBeUndefined();
    await expect(store.lock(id, 'mine')).resolves.toMatchObject({ id });
    await expect(store.lock(id)).resolves.toMatchObject({ id });
    await expect(store.lock('key_unknown')).resolves.toBeUndefined();
  });
});
