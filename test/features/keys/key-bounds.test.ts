import { askGraphQL, codesOf, dataOf } from '../../interfaces/graphql/client.js';
import { dashboardClient } from '../../interfaces/dashboard/client.js';
import { useGateway } from '../../support/gateway.js';

/** Limits hold for each key, so the number of keys of a project is bounded by its plan. */
let admin: string;
let nowMs = Date.now();

const gateway = useGateway({ clock: () => nowMs });
beforeAll(async () => {
  ({ secret: admin } = await gateway.services.apiKeys.create({ name: 'Admin', role: 'admin' }));
});

interface Created {
  createApiKey: { apiKey: { id: string }; secret: string };
}

const CREATE = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } secret } }`;
const CHANGE_PLAN = `mutation ($input: ChangePlanInput!) { changePlan(input: $input) { project { id } } }`;

async function ownerOn(plan: 'free' | 'pro') {
  const { apiKey, secret } = await gateway.keyOn(plan, undefined, { name: 'Owner', role: 'owner' });
  const projectId = apiKey.projectId ?? '';
  const create = (input: Record<string, unknown> = {}) =>
    // An admin asks, whose minute lasts; it is bounded like an owner.
    askGraphQL<Created>(gateway, admin, CREATE, { input: { projectId, name: 'Another', ...input } });
  return {
    secret,
    projectId,
    create,
    async fill(count: number) {
      const created: Created['createApiKey'][] = [];
      for (let i = 0; i < count; i++) created.push((await dataOf(create())).createApiKey);
      return created;
    },
    revoke: (id: string) =>
      dataOf(
        askGraphQL(gateway, admin, `mutation { revokeApiKey(input: { id: "${id}" }) { apiKey { state } } }`),
      ),
    async count() {
      const asked = askGraphQL<{ project: { activeApiKeys: number; plan: { maxApiKeys: number } } }>(
        gateway,
        secret,
        `{ project(id: "${projectId}") { activeApiKeys plan { maxApiKeys } } }`,
      );
      const { activeApiKeys, plan } = (await dataOf(asked)).project;
      return [activeApiKeys, plan.maxApiKeys];
    },
  };
}

test('`plans` tells how many keys each plan includes', async () => {
  const { secret } = await gateway.keyOn('pro');
  expect(await dataOf(askGraphQL(gateway, secret, '{ plans { id maxApiKeys } }'))).toEqual({
    plans: [
      { id: 'free', maxApiKeys: 5 },
      { id: 'pro', maxApiKeys: 20 },
      { id: 'business', maxApiKeys: 100 },
      { id: 'enterprise', maxApiKeys: 1000 },
    ],
  });
});

test('one key more than the plan includes: 403 plan_required that names the upgrade, for owners and admins', async () => {
  const owner = await ownerOn('free');
  await owner.fill(4);
  expect(await owner.count()).toEqual([5, 5]);
  const byOwner = askGraphQL(gateway, owner.secret, CREATE, { input: { name: 'Sixth' } });
  for (const answer of [await byOwner, await owner.create()])
    expect(answer.errors).toMatchObject([
      {
        message:
          'The Free plan includes 5 active API keys, and this project has 5. Revoke a key, or upgrade the project to Pro, which includes 20.',
        extensions: {
          code: 'plan_required',
          status: 403,
          details: { plan: 'free', maxApiKeys: 5, activeApiKeys: 5, upgradeTo: 'pro' },
        },
      },
    ]);
  expect(await owner.count()).toEqual([5, 5]);
});

test('the dashboard has the same bound', async () => {
  const owner = await ownerOn('free');
  await owner.fill(4);
  const session = await dashboardClient(gateway).enter(owner.secret);
  const answer = await session.graphql(`mutation { createApiKey(input: { name: "Sixth" }) { secret } }`);
  expect(answer.text).toContain('"code":"plan_required"');
});

test('revoked and expired keys do not count', async () => {
  const owner = await ownerOn('free');
  const expiresAt = new Date(nowMs + 60_000).toISOString();
  await dataOf(owner.create({ expiresAt }));
  const [second] = await owner.fill(3);
  expect((await owner.create()).errors).toHaveLength(1);
  await owner.revoke(second?.apiKey.id ?? '');
  expect(await owner.count()).toEqual([4, 5]);
  await owner.fill(1);
  expect((await owner.create()).errors).toHaveLength(1);
  nowMs += 60_000;
  expect(await owner.count()).toEqual([4, 5]);
  await owner.fill(1);
});

test('of many concurrent creates, only as many as fit succeed', async () => {
  const owner = await ownerOn('free');
  await owner.fill(2);
  const answers = await Promise.all(Array.from({ length: 8 }, () => owner.create()));
  expect(answers.filter(({ errors }) => errors === undefined)).toHaveLength(2);
  for (const { errors = [] } of answers)
    for (const { extensions } of errors) expect(extensions.code).toBe('plan_required');
  expect(await owner.count()).toEqual([5, 5]);
});

test('after a downgrade, existing keys keep working, and the error names an upgrade that suffices', async () => {
  const owner = await ownerOn('pro');
  const keys = await owner.fill(19);
  await dataOf(
    askGraphQL(gateway, admin, CHANGE_PLAN, { input: { projectId: owner.projectId, plan: 'free' } }),
  );
  expect(await owner.count()).toEqual([20, 5]);
  for (const { secret } of [keys[0], keys.at(-1)].filter((key) => key !== undefined))
    expect((await gateway.request('/v1/pets', { key: secret })).status).toBe(200);
  const [refusal] = (await owner.create()).errors ?? [];
  expect(refusal?.extensions).toMatchObject({
    code: 'plan_required',
    details: { activeApiKeys: 20, maxApiKeys: 5, upgradeTo: 'business' },
  });
});

test('revoking used-up keys and creating new ones ends at twice the plan within 24 hours', async () => {
  const owner = await ownerOn('free');
  for (let i = 0; i < 9; i++) {
    const [created] = await owner.fill(1);
    await owner.revoke(created?.apiKey.id ?? '');
  }
  const [refusal] = (await owner.create()).errors ?? [];
  expect(refusal?.extensions).toMatchObject({
    code: 'plan_required',
    details: { plan: 'free', maxCreatedWithin24Hours: 10, createdWithin24Hours: 10, upgradeTo: 'pro' },
  });
  expect(await owner.count()).toEqual([1, 5]);
  nowMs += 24 * 3_600_000;
  await owner.fill(4);
});

test('an expired key gets no secret that does not work', async () => {
  const owner = await ownerOn('pro');
  const expiresAt = new Date(nowMs + 60_000).toISOString();
  const { apiKey } = (await dataOf(owner.create({ expiresAt }))).createApiKey;
  const rotated = () =>
    askGraphQL<{ rotateApiKey: { secret: string } }>(
      gateway,
      admin,
      `mutation { rotateApiKey(input: { id: "${apiKey.id}" }) { secret } }`,
    );
  nowMs += 60_000;
  expect(await codesOf(rotated())).toEqual(['conflict']);
  await dataOf(
    askGraphQL(
      gateway,
      admin,
      `mutation { updateApiKey(input: { id: "${apiKey.id}", expiresAt: null }) { apiKey { state } } }`,
    ),
  );
  const { secret } = (await dataOf(rotated())).rotateApiKey;
  expect((await gateway.request('/v1/pets', { key: secret })).status).toBe(200);
});

test('at most three secrets of one key work: one more rotation ends the oldest at once', async () => {
  const { apiKey, secret } = await gateway.keyOn('business');
  const secrets = [secret];
  const rotate = `mutation { rotateApiKey(input: { id: "${apiKey.id}", overlapSeconds: 604800 }) { secret } }`;
  for (let i = 0; i < 6; i++) {
    const { rotateApiKey } = await dataOf(
      askGraphQL<{ rotateApiKey: { secret: string } }>(gateway, admin, rotate),
    );
    secrets.push(rotateApiKey.secret);
    const statuses = await Promise.all(
      secrets.map(async (key) => (await gateway.request('/v1/pets', { key })).status),
    );
    expect(statuses).toEqual(secrets.map((_secret, at) => (at < secrets.length - 3 ? 401 : 200)));
  }
});
