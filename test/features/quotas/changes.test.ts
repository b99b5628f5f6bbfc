import { freezeDate, moveDateBy, NOON, releaseDate } from '../../support/fake-date.js';
import { useGateway } from '../../support/gateway.js';

/** What a change of a key or its project does at the next request on the node that made it. */
const gateway = useGateway();

beforeEach(() => freezeDate(NOON));
afterEach(releaseDate);

async function ask(key: string) {
  const { status, headers } = await gateway.request('/v1/pets', { key });
  return {
    status,
    limit: Number(headers.get('x-ratelimit-limit')),
    remaining: Number(headers.get('x-ratelimit-remaining')),
  };
}

async function askAtOnce(key: string, count: number): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, () => ask(key)));
  return answers.filter(({ status }) => status === 200).length;
}

test('an upgrade: counts are kept, the larger limit holds', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  expect(await askAtOnce(secret, 70)).toBe(60);
  await gateway.services.projects.changePlan(apiKey.projectId ?? '', 'pro');
  expect(await ask(secret)).toEqual({ status: 200, limit: 300, remaining: 239 });
  expect(await askAtOnce(secret, 260)).toBe(239);
});

test('a downgrade: counts are kept, the smaller limit holds', async () => {
  const { secret, apiKey } = await gateway.keyOn('pro');
  expect(await askAtOnce(secret, 59)).toBe(59);
  await gateway.services.projects.changePlan(apiKey.projectId ?? '', 'free');
  expect(await ask(secret)).toEqual({ status: 200, limit: 60, remaining: 0 });
  expect(await ask(secret)).toEqual({ status: 429, limit: 60, remaining: 0 });
});

test('a custom quota and the way back', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  await ask(secret);
  const { projects } = gateway.services;
  const quota = { requestsPerMinute: 5, requestsPerDay: 50 };
  await projects.changePlan(apiKey.projectId ?? '', 'enterprise', quota);
  expect(await ask(secret)).toEqual({ status: 200, limit: 5, remaining: 3 });
  await projects.changePlan(apiKey.projectId ?? '', 'enterprise', { ...quota, requestsPerMinute: 2 });
  expect(await ask(secret)).toEqual({ status: 429, limit: 2, remaining: 0 });
  await projects.changePlan(apiKey.projectId ?? '', 'free');
  expect(await ask(secret)).toEqual({ status: 200, limit: 60, remaining: 57 });
});

test('a reset of the minute, of the day, of both', async () => {
  const { secret, apiKey } = await gateway.keyOn('enterprise', { requestsPerMinute: 2, requestsPerDay: 3 });
  const { apiKeys } = gateway.services;
  expect(await askAtOnce(secret, 5)).toBe(2);
  await apiKeys.resetQuota(apiKey.id, 'minute');
  expect(await askAtOnce(secret, 5)).toBe(1);
  await apiKeys.resetQuota(apiKey.id, 'day');
  expect(await askAtOnce(secret, 5)).toBe(1);
  await apiKeys.resetQuota(apiKey.id);
  expect(await askAtOnce(secret, 5)).toBe(2);
});

test('a rotation: both secrets open during the overlap, on the same counts; then the new one alone', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  expect(await ask(secret)).toMatchObject({ status: 200, remaining: 59 });
  const rotated = await gateway.services.apiKeys.rotate(apiKey.id, 60);
  expect(await ask(rotated.secret)).toMatchObject({ status: 200, remaining: 58 });
  expect(await ask(secret)).toMatchObject({ status: 200, remaining: 57 });
  moveDateBy(59_999);
  expect(await ask(secret)).toMatchObject({ status: 200 });
  moveDateBy(1);
  expect(await ask(secret)).toMatchObject({ status: 401 });
  expect(await ask(rotated.secret)).toMatchObject({ status: 200 });
});

test('a rotation without overlap ends the old secret at once', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  await ask(secret);
  const rotated = await gateway.services.apiKeys.rotate(apiKey.id, 0);
  expect(await ask(secret)).toMatchObject({ status: 401 });
  expect(await ask(rotated.secret)).toMatchObject({ status: 200 });
});

test('a second rotation does not lengthen the life of the first secret', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  await gateway.services.apiKeys.rotate(apiKey.id, 10);
  await gateway.services.apiKeys.rotate(apiKey.id, 1000);
  moveDateBy(10_000);
  expect(await ask(secret)).toMatchObject({ status: 401 });
});

test('a revocation', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  await ask(secret);
  await gateway.services.apiKeys.revoke(apiKey.id);
  expect(await ask(secret)).toMatchObject({ status: 401 });
});

test('an expiry, to the millisecond', async () => {
  const { secret } = await gateway.keyOn('free', undefined, { expiresAt: new Date(NOON + 1000) });
  moveDateBy(999);
  expect(await ask(secret)).toMatchObject({ status: 200 });
  moveDateBy(1);
  expect(await ask(secret)).toMatchObject({ status: 401 });
});

test('looking at a quota consumes nothing of it', async () => {
  const { secret, apiKey } = await gateway.keyOn('free');
  await ask(secret);
  for (let i = 0; i < 5; i++)
    expect((await gateway.services.keyQuotas.of(apiKey)).windows.map(({ used }) => used)).toEqual([1, 1]);
  expect(await ask(secret)).toMatchObject({ remaining: 58 });
});
