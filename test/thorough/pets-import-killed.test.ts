import type { Connection } from 'mongoose';
import { IMPORT_LEASE_MS } from '../../src/features/synchronization/pets-imports.js';
import { freshDatabase } from '../support/database.js';
import { startGateway } from '../support/gateway.js';
import { startGatewayProcess } from '../support/gateway-process.js';
import { rawDatabase } from '../support/raw-database.js';
import { until } from '../support/until.js';

const database = freshDatabase();
let raw: Connection;
/** Goes on where the killed one was; its clock is ahead, so that nobody has to wait for a lease. */
let other: Awaited<ReturnType<typeof startGateway>>;
let aheadMs = 0;
let transactionSeconds = 60;
beforeAll(async () => {
  raw = await rawDatabase({ databaseName: database.dbName });
  transactionSeconds = await limitTransactions(10);
  other = await startGateway({
    beside: { databaseName: database.dbName },
    clock: () => Date.now() + aheadMs,
  });
});
afterAll(async () => {
  await other.close();
  await limitTransactions(transactionSeconds);
  await raw.close();
  await database.drop();
});

/** MongoDB holds what a killed process had locked until then, and looks for it twice in that time. Returns the limit before. */
async function limitTransactions(seconds: number): Promise<number> {
  const limit = { setParameter: 1, transactionLifetimeLimitSeconds: seconds };
  const { was } = (await raw.getClient().db('admin').command(limit)) as { was: unknown };
  return Number(was);
}

/** Several pages of 500 of each kind. */
const EXISTING = 4500;
const GONE = 1500;
const CHANGED = 1500;
const NEW = 3000;
const HEADER = 'externalId,name,categoryId,status\n';
const lineOf = (i: number, name: string) => `A-${i},${name} ${i},1,available\n`;
const from = (start: number, end: number, name: string) =>
  Array.from({ length: end - start }, (_, i) => lineOf(start + i, name)).join('');
const FIRST = HEADER + from(0, EXISTING, 'Pet');
const SECOND =
  HEADER +
  from(GONE, GONE + CHANGED, 'Renamed') +
  from(GONE + CHANGED, EXISTING, 'Pet') +
  from(EXISTING, EXISTING + NEW, 'New');

const QUOTA = { requestsPerMinute: 100_000, requestsPerDay: 1_000_000 };
const OPTIONS = {
  existing: 'replace',
  deleteMissing: true,
  deleteAtMost: GONE,
  dryRun: false,
  ignoreUnknown: false,
} as const;
const BY = { role: 'command line' } as const;

const put = (url: string, id: string, key: string, body: string) =>
  fetch(`${url}/imports/${id}/file`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
    body,
  });

async function namesOf(projectId: string): Promise<string[]> {
  const found = await raw
    .collection('pets')
    .find({ projectId }, { projection: { name: 1 } })
    .toArray();
  return found.map(({ name }) => String(name)).sort();
}

const expected = [
  ...Array.from({ length: CHANGED }, (_, i) => `Renamed ${GONE + i}`),
  ...Array.from({ length: EXISTING - GONE - CHANGED }, (_, i) => `Pet ${GONE + CHANGED + i}`),
  ...Array.from({ length: NEW }, (_, i) => `New ${EXISTING + i}`),
].sort();

interface Place {
  id: string;
  projectId: string;
}
const countPets = (filter: Record<string, unknown>) => raw.collection('pets').countDocuments(filter);
const importOf = (id: string) =>
  raw.collection<{ _id: string; state?: string; phase?: string }>('petsImports').findOne({ _id: id });

const MOMENTS: [string, (place: Place) => Promise<boolean>][] = [
  ['while the file arrives', async () => (await raw.collection('petsImportRows').countDocuments()) > 0],
  ['while it plans', async ({ id }) => (await importOf(id))?.state === 'applying'],
  ['at the first write', async ({ id }) => (await importOf(id))?.phase === 'write'],
  ['amid the additions', async ({ projectId }) => (await countPets({ projectId, name: /^New/ })) > 0],
  ['amid the changes', async ({ projectId }) => (await countPets({ projectId, name: /^Renamed/ })) > 0],
  [
    'amid the removals',
    async ({ projectId }) => (await countPets({ projectId, name: /^Pet/ })) < EXISTING - CHANGED,
  ],
  ['when it is done', async ({ id }) => (await importOf(id))?.state === 'done'],
];

test.each(MOMENTS)('kill -9 %s: nothing is doubled, and nothing is half', async (moment, isReached) => {
  const { apiKey, secret } = await other.keyOn('enterprise', QUOTA, { role: 'owner' });
  const { projectId = '' } = apiKey;
  const { petsImports, audit } = other.services;
  const chunks = (text: string) => [Buffer.from(text)] as unknown as AsyncIterable<Uint8Array>;
  const first = await petsImports.create({ ...OPTIONS, projectId }, BY);
  await petsImports.receive(first, { chunks: chunks(FIRST), format: 'csv' }, BY, Infinity);
  expect(await countPets({ projectId })).toBe(EXISTING);

  const { id } = await petsImports.create({ ...OPTIONS, projectId }, BY);
  const gateway = await startGatewayProcess({ MONGODB_URI: database.uri });
  const answer = put(gateway.url, id, secret, SECOND).catch(() => undefined);
  await until(moment, () => isReached({ id, projectId }));
  await gateway.stop('SIGKILL');
  await answer;

  const { state } = await petsImports.get(id);
  if (state === 'awaiting_file') {
    // Nothing changed before the whole file was read.
    expect(await countPets({ projectId })).toBe(EXISTING);
    expect(await countPets({ projectId, name: /^(New|Renamed)/ })).toBe(0);
    const { status } = await put(other.url, id, secret, SECOND);
    // 202: it takes longer than a response waits.
    expect([200, 202]).toContain(status);
    await until('the end of the import', async () => (await importOf(id))?.state === 'done');
  }
  aheadMs += IMPORT_LEASE_MS;
  await petsImports.workDue();

  const done = await petsImports.get(id);
  expect(done).toMatchObject({ state: 'done', rejections: [] });
  const counts = {
    added: NEW,
    changed: CHANGED,
    unchanged: EXISTING - GONE - CHANGED,
    removed: GONE,
    rejected: 0,
  };
  expect(done.counts).toEqual(counts);
  expect(await namesOf(projectId)).toEqual(expected);
  const { records } = await audit.list({ first: 10, target: { projectId } });
  expect(records.filter(({ action, after }) => action === 'pets.import' && after['import'] === id)).toEqual([
    expect.objectContaining({ after: { import: id, ...counts } }) as unknown,
  ]);
  expect(await raw.collection('petsImportRows').countDocuments()).toBe(0);
});
