import { expectError } from '../../support/expect-answer.js';
import { startGateway, useGateway, useStarted } from '../../support/gateway.js';
import { AMPLE } from '../../support/rest-client.js';

const gateway = useGateway();
const beside = useStarted(() => startGateway({ beside: gateway }));

it('reads while the charge is decided, and creates only afterwards', async () => {
  const { pets, quotas } = gateway.services;
  const order: string[] = [];
  const charge = quotas.charge.bind(quotas);
  const spies = [
    jest.spyOn(quotas, 'charge').mockImplementation(async (...asked) => {
      const verdict = await charge(...asked);
      order.push('charged');
      return verdict;
    }),
    ...(['list', 'get', 'create'] as const).map((name) => {
      const call = pets[name].bind(pets) as (...args: unknown[]) => Promise<never>;
      return jest.spyOn(pets, name).mockImplementation((...args: unknown[]) => {
        order.push(name);
        return call(...args);
      });
    }),
  ];
  const { secret: key } = await gateway.keyOn('enterprise', AMPLE);
  const body = JSON.stringify({ name: 'Rex', categoryId: 7 });
  const headers = { 'content-type': 'application/json' };
  const created = await gateway.request('/v1/pets', { method: 'POST', key, body, headers });
  const { id } = (await created.json()) as { id: number };
  expect((await gateway.request('/v1/pets?limit=5', { key })).status).toBe(200);
  expect((await gateway.request(`/v1/pets/${id}`, { key })).status).toBe(200);
  expect((await gateway.request('/v1/pets?limit=0', { key })).status).toBe(400);
  for (const spy of spies) spy.mockRestore();
  expect(order).toEqual(['charged', 'create', 'list', 'charged', 'get', 'charged', 'charged']);
});

it.each(['/v1/pets', '/v1/pets?limit=0', '/v1/pets/987654321', '/v1/pets/no-id'])(
  'answers 429 and nothing else where the charge is rejected: %s',
  async (path) => {
    const { secret: key } = await gateway.keyOn('enterprise', { requestsPerMinute: 1, requestsPerDay: 1 });
    expect((await beside.request('/v1/pets', { key })).status).toBe(200);
    await expectError(await gateway.request(path, { key }), 429, 'rate_limit_exceeded');
  },
);

it('reads nothing for a browser key, because such keys are public', async () => {
  const list = jest.spyOn(gateway.services.pets, 'list');
  const origin = 'https://shop.example';
  const { secret: key } = await gateway.keyOn('free', undefined, {
    role: 'browser',
    allowedOrigins: [origin],
  });
  await expectError(await gateway.request('/v1/pets', { key, headers: { origin } }), 403, 'forbidden');
  expect(list).not.toHaveBeenCalled();
  list.mockRestore();
});
