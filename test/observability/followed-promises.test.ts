import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freshDatabase } from '../support/database.js';
import { startOtlpReceiver } from '../support/otlp-receiver.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';
import { startTracedGateway } from '../support/traced-gateway.js';

const folder = useTemporaryFolder();
const database = freshDatabase();
afterAll(() => database.drop());

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0';

test('Node does not follow the promises of a gateway after transactions and recorded requests', async () => {
  const receiver = await startOtlpReceiver();
  const file = join(folder(), 'followed');
  const gateway = await startTracedGateway({
    MONGODB_URI: database.uri,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    NODE_OPTIONS: `--require ${join(__dirname, '../support/note-followed.cjs')}`,
    FOLLOWED_PROMISES: file,
  });
  // The key above was created in a transaction.
  await Promise.all(
    [0, 1, 0, 1].map((flag, i) => gateway.get('/v1/pets', `r${i}`, { traceparent: `${TRACEPARENT}${flag}` })),
  );
  await gateway.get('/v1/pets', 'last', { traceparent: `${TRACEPARENT}0` });
  expect(await gateway.stop()).toBe(0);
  expect(receiver.spans().length).toBeGreaterThan(0);
  await expect(readFile(file, 'utf8')).resolves.toBe('not followed');
  await receiver.close();
});
