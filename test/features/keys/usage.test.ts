import { useGateway } from '../../support/gateway.js';

const gateway = useGateway();

async function usageToday(id: string): Promise<number> {
  await gateway.services.recorder.flush();
  return (await gateway.services.apiKeys.get(id)).usageToday;
}

test('a reset of the day resets usageToday, even if earlier uses are written later', async () => {
  const { apiKey, secret } = await gateway.keyOn('free');
  const ask = () => gateway.request('/v1/pets', { key: secret });
  for (let i = 0; i < 50; i++) await ask();
  // Not flushed yet: the 50 uses are on their way.
  await gateway.services.apiKeys.resetQuota(apiKey.id);
  expect(await usageToday(apiKey.id)).toBe(0);
  await ask();
  expect(await usageToday(apiKey.id)).toBe(1);
});
