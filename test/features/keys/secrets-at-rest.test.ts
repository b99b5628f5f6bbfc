import { useGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';

const gateway = useGateway();

test('no secret is in the database, whatever happened to its key', async () => {
  const { apiKey, secret } = await gateway.keyOn('free');
  await gateway.request('/v1/pets', { key: secret });
  const { secret: rotated } = await gateway.services.apiKeys.rotate(apiKey.id, 60);
  await gateway.request('/v1/pets', { key: rotated });
  await gateway.services.recorder.flush();

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
