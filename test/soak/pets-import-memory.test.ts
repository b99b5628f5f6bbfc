import type { Connection } from 'mongoose';
import { startGateway } from '../support/gateway.js';
import { startGatewayProcess } from '../support/gateway-process.js';
import { rawDatabase } from '../support/raw-database.js';
import { until } from '../support/until.js';

const LINES = 100_000;
const LINES_AT_ONCE = 100;
const PATIENCE_MS = 10 * 60_000;
const QUOTA = { requestsPerMinute: 100_000, requestsPerDay: 1_000_000 };
const OPTIONS = { existing: 'replace', deleteMissing: true, dryRun: false, ignoreUnknown: false } as const;
const NAME = '\u72ac'.repeat(195);

let office: Awaited<ReturnType<typeof startGateway>>;
let raw: Connection;
beforeAll(async () => {
  office = await startGateway();
  raw = await rawDatabase(office);
});
afterAll(async () => {
  await raw.close();
  await office.close();
});

async function* lines() {
  yield await Promise.resolve(Buffer.from('externalId,name,categoryId\n'));
  for (let i = 0; i < LINES / LINES_AT_ONCE; i += 1)
    yield Buffer.from(
      Array.from({ length: LINES_AT_ONCE }, (_, j) => `${i}-${j},${NAME}${i % 10},1\n`).join(''),
    );
}

/**
 * The rows have 600 bytes each, 60 MB in all, and several times that as objects. The heap of a gateway without work takes
 * most of the 96 MiB, so a gateway that keeps the rows ends for lack of memory.
 */
test(`an import of ${LINES} lines of 600 bytes in a heap of 96 MiB`, async () => {
  const { apiKey, secret } = await office.keyOn('enterprise', QUOTA, { role: 'owner' });
  const { projectId = '' } = apiKey;
  const by = { role: 'command line' } as const;
  const { id } = await office.services.petsImports.create({ ...OPTIONS, projectId }, by);
  const uri = new URL(process.env['TEST_MONGODB_URI'] ?? '');
  uri.pathname = `/${office.databaseName}`;
  const gateway = await startGatewayProcess({
    MONGODB_URI: uri.href,
    NODE_OPTIONS: '--max-old-space-size=96',
  });
  try {
    const { status } = await fetch(`${gateway.url}/imports/${id}/file`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'text/csv' },
      body: lines(),
      duplex: 'half',
    });
    expect([200, 202]).toContain(status);
    const isDone = async () => (await office.services.petsImports.get(id)).state === 'done';
    await until('the end of the import', isDone, PATIENCE_MS);
    expect(await raw.collection('pets').countDocuments({ projectId })).toBe(LINES);
  } finally {
    await gateway.stop('SIGKILL');
  }
}, 900_000);
