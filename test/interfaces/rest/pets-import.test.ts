import { Readable } from 'node:stream';
import { useGateway, type StartedGateway } from '../../support/gateway.js';
import { expectError } from '../../support/expect-answer.js';
import { dashboardClient, refusalOf } from '../dashboard/client.js';
import { askGraphQL, codesOf, dataOf } from '../graphql/client.js';

const gateway = useGateway();

const FIELDS = `id state lines added changed unchanged removed rejected
  rejectedLines { line reason } notRemovedReason problem deleteAtMost`;

interface Import {
  id: string;
  state: string;
  lines: number;
  added: number;
  changed: number;
  unchanged: number;
  removed: number;
  rejected: number;
  rejectedLines: { line: number; reason: string }[];
  notRemovedReason: string | null;
  problem: string | null;
}

interface Options {
  existing?: 'reject' | 'skip' | 'replace';
  deleteMissing?: boolean;
  deleteAtMost?: number;
  dryRun?: boolean;
  ignoreUnknown?: boolean;
}

/** A project with an owner key, and what it can do with files. */
async function newShelter(at: StartedGateway = gateway) {
  const { apiKey, secret } = await at.keyOn('business', undefined, { role: 'owner' });
  const projectId = apiKey.projectId ?? '';

  async function create(options: Options = {}, key = secret) {
    const { createPetsImport } = await dataOf(
      askGraphQL<{ createPetsImport: { petsImport: Import; uploadUrl: string } }>(
        at,
        key,
        `mutation ($input: CreatePetsImportInput!) {
          createPetsImport(input: $input) { petsImport { ${FIELDS} } uploadUrl maxBytes } }`,
        { input: { projectId, ...options } },
      ),
    );
    return createPetsImport;
  }
  const put = (url: string, file: string, type = 'text/csv', key = secret) =>
    at.request(url, { method: 'PUT', key, headers: { 'content-type': type }, body: file });

  return {
    projectId,
    secret,
    create,
    put,
    bring: async (file: string, options: Options = {}, type = 'text/csv'): Promise<Import> => {
      const { uploadUrl } = await create(options);
      const answer = await put(uploadUrl, file, type);
      expect(answer.status).toBe(200);
      return (await answer.json()) as Import;
    },
    start: async (id: string): Promise<Import> => {
      const { startPetsImport } = await dataOf(
        askGraphQL<{ startPetsImport: { petsImport: Import } }>(
          at,
          secret,
          `mutation ($id: ID!) { startPetsImport(input: { id: $id }) { petsImport { ${FIELDS} } } }`,
          { id },
        ),
      );
      return startPetsImport.petsImport;
    },
    find: async (id: string, key = secret): Promise<Import | null> => {
      const { petsImport } = await dataOf(
        askGraphQL<{ petsImport: Import | null }>(
          at,
          key,
          `query ($id: ID!) { petsImport(id: $id) { ${FIELDS} } }`,
          { id },
        ),
      );
      return petsImport;
    },
    /** The project's animals by their number: name, category and status. */
    animals: async (): Promise<Record<string, string>> => {
      const found: Record<string, string> = {};
      let afterId: bigint | undefined;
      for (;;) {
        const { pets, hasMore } = await at.services.petsStore.list({
          limit: 1000,
          ...(afterId !== undefined && { afterId }),
        });
        for (const pet of pets)
          if (pet.projectId === projectId)
            found[pet.externalId ?? `#${pet.id}`] = `${pet.name} ${pet.categoryId} ${pet.status}`;
        afterId = pets.at(-1)?.id;
        if (!hasMore) return found;
      }
    },
  };
}

const HEADER = 'externalId,name,categoryId,status\n';
const csv = (rows: Iterable<readonly [string, string, number, string?]>) =>
  HEADER + Array.from(rows, (row) => `${row[0]},${row[1]},${row[2]},${row[3] ?? 'available'}\n`).join('');
const counts = ({ added, changed, unchanged, removed, rejected }: Import) => ({
  added,
  changed,
  unchanged,
  removed,
  rejected,
});
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => [`A-${from + i}`, `Pet ${from + i}`, 1] as const);

const auditOf = async (projectId: string) => {
  const { records } = await gateway.services.audit.list({ first: 10, target: { projectId } });
  return records.filter(({ action }) => action === 'pets.import');
};

test('the second night writes what changed, and the third nothing', async () => {
  const { bring, animals, projectId } = await newShelter();
  const sync = { existing: 'replace', deleteMissing: true } as const;
  expect(counts(await bring(csv(numbered(0, 500)), sync))).toEqual({
    added: 500,
    changed: 0,
    unchanged: 0,
    removed: 0,
    rejected: 0,
  });
  const second = [...numbered(5, 500), ...numbered(500, 507)].map(
    ([id, name, category], i) => [id, name, category, i < 20 ? 'sold' : 'available'] as const,
  );
  const night2 = await bring(csv(second), sync);
  expect(night2).toMatchObject({ state: 'done', notRemovedReason: null });
  expect(counts(night2)).toEqual({ added: 7, changed: 20, unchanged: 475, removed: 5, rejected: 0 });
  const after = await animals();
  expect(Object.keys(after)).toHaveLength(502);
  expect(after).toMatchObject({ 'A-5': 'Pet 5 1 sold', 'A-30': 'Pet 30 1 available' });
  expect(after).not.toHaveProperty('A-4');

  expect(counts(await bring(csv(second), sync))).toEqual({
    added: 0,
    changed: 0,
    unchanged: 502,
    removed: 0,
    rejected: 0,
  });
  expect(await animals()).toEqual(after);
  expect((await auditOf(projectId)).map(({ after: { import: _id, ...values } }) => values)).toEqual([
    { added: 0, changed: 0, unchanged: 502, removed: 0, rejected: 0 },
    { added: 7, changed: 20, unchanged: 475, removed: 5, rejected: 0 },
    { added: 500, changed: 0, unchanged: 0, removed: 0, rejected: 0 },
  ]);
});

test('a dry run says what would change, changes nothing, and can be started', async () => {
  const { bring, start, animals, find, projectId } = await newShelter();
  await bring(csv(numbered(0, 10)));
  const before = await animals();
  const file = csv([['A-1', 'Rex', 2, 'sold'], ...numbered(2, 11)]);
  const checked = await bring(file, { existing: 'replace', deleteMissing: true, dryRun: true });
  expect(checked.state).toBe('checked');
  expect(counts(checked)).toEqual({ added: 1, changed: 1, unchanged: 8, removed: 1, rejected: 0 });
  expect(await animals()).toEqual(before);
  expect(await auditOf(projectId)).toHaveLength(1);
  expect(await find(checked.id)).toMatchObject({ state: 'checked', added: 1, lines: 10 });

  const done = await start(checked.id);
  expect(done.state).toBe('done');
  expect(counts(done)).toEqual(counts(checked));
  const { 'A-0': _left, ...rest } = before;
  expect(await animals()).toEqual({ ...rest, 'A-1': 'Rex 2 sold', 'A-10': 'Pet 10 1 available' });
});

test('what changes between the check and the start counts as it is at the start', async () => {
  const { bring, start, projectId } = await newShelter();
  const checked = await bring(csv(numbered(0, 10)), { dryRun: true });
  expect(checked.added).toBe(10);
  const { petsStore } = gateway.services;
  const [, name, categoryId] = numbered(3, 4)[0] ?? [];
  const pet = { name: String(name), categoryId: BigInt(categoryId ?? 0), status: 'available' } as const;
  await petsStore.insert({
    id: await petsStore.reserveId(),
    ...pet,
    projectId,
    externalId: 'A-3',
    createdAt: new Date(),
  });
  expect(counts(await start(checked.id))).toMatchObject({ added: 9, rejected: 1 });
});

test('the check of a later file replaces an earlier one', async () => {
  const { bring, find } = await newShelter();
  const first = await bring(csv(numbered(0, 2)), { dryRun: true });
  await bring(csv(numbered(0, 2)), { dryRun: true });
  expect(await find(first.id)).toMatchObject({ state: 'expired' });
});

test.each([
  ['reject', { added: 1, changed: 0, unchanged: 0, removed: 0, rejected: 2 }, 'Pet 1 1 available'],
  ['skip', { added: 1, changed: 0, unchanged: 2, removed: 0, rejected: 0 }, 'Pet 1 1 available'],
  ['replace', { added: 1, changed: 1, unchanged: 1, removed: 0, rejected: 0 }, 'Rex 2 sold'],
] as const)('existing: %s', async (existing, expected, animal) => {
  const { bring, animals } = await newShelter();
  await bring(csv(numbered(1, 3)));
  const done = await bring(csv([['A-1', 'Rex', 2, 'sold'], ...numbered(2, 4)]), { existing });
  expect(counts(done)).toEqual(expected);
  if (existing === 'reject')
    expect(done.rejectedLines).toEqual([
      { line: 2, reason: 'externalId: the project has an animal with the number A-1' },
      { line: 3, reason: 'externalId: the project has an animal with the number A-2' },
    ]);
  expect(await animals()).toMatchObject({ 'A-1': animal, 'A-3': 'Pet 3 1 available' });
});

test('animals are found by the name that an import gave them', async () => {
  const { bring, secret } = await newShelter();
  await bring(csv([['A-1', 'Rex', 1]]));
  await bring(csv([['A-1', 'Waldi', 1]]), { existing: 'replace' });
  const find = (nameContains: string) =>
    dataOf(
      askGraphQL<{ petsConnection: { edges: { node: { name: string } }[] } }>(
        gateway,
        secret,
        `query ($nameContains: String) {
          petsConnection(filter: { mine: true, nameContains: $nameContains }) { edges { node { name } } } }`,
        { nameContains },
      ),
    );
  expect((await find('wald')).petsConnection.edges).toEqual([{ node: { name: 'Waldi' } }]);
  expect((await find('rex')).petsConnection.edges).toEqual([]);
});

test('a file without statuses leaves them as they are', async () => {
  const { bring, animals } = await newShelter();
  await bring(csv([['A-1', 'Rex', 1, 'pending']]));
  const done = await bring('externalId,name,categoryId\nA-1,Rex II,1\nA-2,Tom,1\n', { existing: 'replace' });
  expect(counts(done)).toMatchObject({ added: 1, changed: 1 });
  expect(await animals()).toEqual({ 'A-1': 'Rex II 1 pending', 'A-2': 'Tom 1 available' });
});

describe('deleteMissing', () => {
  const sync = { existing: 'replace', deleteMissing: true } as const;

  test('removes nothing if a line is rejected, and says so', async () => {
    const { bring, animals } = await newShelter();
    await bring(csv(numbered(0, 10)));
    const done = await bring(csv([...numbered(1, 10), ['A-9', 'again', 1]]), sync);
    expect(counts(done)).toEqual({ added: 0, changed: 0, unchanged: 9, removed: 0, rejected: 1 });
    expect(done.rejectedLines).toEqual([
      { line: 11, reason: 'externalId: an earlier line has the same number' },
    ]);
    expect(done.notRemovedReason).toMatch(/^Lines were rejected/);
    expect(Object.keys(await animals())).toHaveLength(10);
  });

  test('removes no more than a fifth, unless more is allowed', async () => {
    const { bring, animals } = await newShelter();
    await bring(csv(numbered(0, 10)));
    const refused = await bring(csv(numbered(3, 10)), sync);
    expect(refused).toMatchObject({ state: 'done', removed: 0, unchanged: 7 });
    expect(refused.notRemovedReason).toMatch(/does not name 3 animals .* deleteAtMost is 2/);
    expect(Object.keys(await animals())).toHaveLength(10);
    expect((await bring(csv(numbered(3, 10)), { ...sync, deleteAtMost: 3 })).removed).toBe(3);
    expect((await bring(csv(numbered(4, 10)), { ...sync, deleteAtMost: 0 })).removed).toBe(0);
    expect((await bring(HEADER, sync)).notRemovedReason).toMatch(/does not name 7 animals/);
    expect(Object.keys(await animals())).toHaveLength(7);
  });

  test('leaves animals without a number, and those of other projects and of no project', async () => {
    const [one, other] = [await newShelter(), await newShelter()];
    await other.bring(csv(numbered(0, 3)));
    await one.bring(csv(numbered(0, 3)));
    await gateway.services.pets.create(
      { name: 'By hand', categoryId: 1n, status: 'available' },
      one.projectId,
    );
    await gateway.services.pets.create(
      { name: 'Of the store', categoryId: 1n, status: 'available' },
      undefined,
    );
    expect((await one.bring(HEADER, { ...sync, deleteAtMost: 100 })).removed).toBe(3);
    expect(Object.values(await one.animals())).toEqual(['By hand 1 available']);
    expect(Object.keys(await other.animals())).toHaveLength(3);
  });
});

test('NDJSON, exact integers, and the same number in two projects', async () => {
  const [one, other] = [await newShelter(), await newShelter()];
  const file = '{"externalId":"1","name":"Rex","categoryId":9007199254740993}\n';
  for (const { bring, animals } of [one, other]) {
    expect((await bring(file, {}, 'application/x-ndjson')).added).toBe(1);
    expect(await animals()).toEqual({ '1': 'Rex 9007199254740993 available' });
  }
});

test('a file that cannot be read fails the import and changes nothing', async () => {
  const { create, put, find, animals } = await newShelter();
  const { petsImport, uploadUrl } = await create();
  const answer = await put(uploadUrl, 'A-1,Rex,1\n');
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(/^file: The first line must name the columns/) as unknown,
  });
  expect(await find(petsImport.id)).toMatchObject({
    state: 'failed',
    problem: expect.stringMatching(/^The first line/) as unknown,
  });
  expect(await animals()).toEqual({});
  expect((await put(uploadUrl, csv(numbered(0, 1)))).status).toBe(409);
});

test('a wrong media type, method or path', async () => {
  const { create, put, secret } = await newShelter();
  const { uploadUrl } = await create();
  expect((await put(uploadUrl, 'x', 'application/json')).status).toBe(415);
  expect((await put(uploadUrl, 'x', 'text/csv; charset=latin1')).status).toBe(415);
  const wrong = await gateway.request(uploadUrl, { key: secret });
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'PUT, OPTIONS']);
  expect((await put('/imports/imp_unknown/file', HEADER)).status).toBe(404);
  expect((await put(uploadUrl, HEADER)).status).toBe(200);
});

async function remainingOf(secret: string): Promise<number> {
  const { quota } = await dataOf(
    askGraphQL<{ quota: { windows: { remaining: number }[] } }>(
      gateway,
      secret,
      '{ quota { windows { remaining } } }',
    ),
  );
  return quota.windows[0]?.remaining ?? NaN;
}

test('each started 100 lines cost 1', async () => {
  const { create, put, secret } = await newShelter();
  for (const [lines, cost] of [
    [0, 1],
    [100, 1],
    [101, 2],
    [1000, 10],
    [1001, 11],
  ] as const) {
    const { uploadUrl } = await create({ dryRun: true });
    const before = await remainingOf(secret);
    expect((await put(uploadUrl, csv(numbered(0, lines)))).status).toBe(200);
    expect(before - (await remainingOf(secret)) - 1).toBe(cost);
  }
});

test('with deleteMissing, each started 100 animals that are compared beyond the lines cost 1', async () => {
  const { bring, create, put, secret } = await newShelter();
  await bring(csv(numbered(0, 2450)));
  for (const [file, options, cost] of [
    // As many lines as animals, or more: the lines.
    [csv(numbered(0, 2450)), { deleteMissing: true }, 25],
    [csv(numbered(0, 2501)), { deleteMissing: true }, 26],
    [csv(numbered(0, 1)), { deleteMissing: true }, 25],
    [HEADER, { deleteMissing: true }, 25],
    [csv(numbered(0, 1)), { deleteMissing: false }, 1],
    // A rejected line: nothing is compared.
    [csv([...numbered(0, 1), ...numbered(0, 1)]), { deleteMissing: true }, 1],
  ] as const) {
    const { uploadUrl } = await create({ dryRun: true, existing: 'skip', ...options });
    const before = await remainingOf(secret);
    expect((await put(uploadUrl, file)).status).toBe(200);
    expect(before - (await remainingOf(secret)) - 1).toBe(cost);
  }
});

test('a comparison beyond the quota removes nothing, and the file can be sent again', async () => {
  const { apiKey, secret } = await gateway.keyOn(
    'enterprise',
    { requestsPerMinute: 20, requestsPerDay: 1000 },
    { role: 'owner' },
  );
  const projectId = apiKey.projectId ?? '';
  const { petsImports } = gateway.services;
  const options = { projectId, existing: 'replace', dryRun: false, ignoreUnknown: false } as const;
  const by = { role: 'command line' } as const;
  const first = await petsImports.create({ ...options, deleteMissing: false }, by);
  const chunks = Readable.from([Buffer.from(csv(numbered(0, 2450)))]);
  await petsImports.receive(first, { chunks, format: 'csv' }, by, Infinity);
  const second = await petsImports.create({ ...options, deleteMissing: true, deleteAtMost: 5000 }, by);
  const answer = await gateway.request(`/imports/${second.id}/file`, {
    method: 'PUT',
    key: secret,
    headers: { 'content-type': 'text/csv' },
    body: csv(numbered(0, 1)),
  });
  // 25 units, of which a minute has 20.
  await expectError(answer, 400, 'query_too_costly');
  expect(await petsImports.get(second.id)).toMatchObject({ state: 'awaiting_file' });
  expect(await gateway.services.pets.count({ projectId })).toBe(2450);
});

test('a fifth is of all animals of the project, those without a number too', async () => {
  const { bring, projectId } = await newShelter();
  await bring(csv(numbered(0, 3)));
  for (let i = 0; i < 8; i += 1)
    await gateway.services.pets.create(
      { name: `By hand ${i}`, categoryId: 1n, status: 'available' },
      projectId,
    );
  expect((await bring(HEADER, { deleteMissing: true })).removed).toBe(3);
});

test('a file beyond the quota changes nothing, and can be sent again', async () => {
  const { apiKey, secret } = await gateway.keyOn(
    'enterprise',
    { requestsPerMinute: 20, requestsPerDay: 1000 },
    { role: 'owner' },
  );
  const created = await gateway.services.petsImports.create(
    {
      projectId: apiKey.projectId ?? '',
      existing: 'replace',
      deleteMissing: false,
      dryRun: false,
      ignoreUnknown: false,
    },
    { role: 'command line' },
  );
  const send = (file: string) =>
    gateway.request(`/imports/${created.id}/file`, {
      method: 'PUT',
      key: secret,
      headers: { 'content-type': 'text/csv' },
      body: file,
    });
  await expectError(await send(csv(numbered(0, 2500))), 400, 'query_too_costly');
  for (let i = 0; i < 10; i += 1) await gateway.request('/v1/pets', { key: secret });
  const answer = await send(csv(numbered(0, 1500)));
  expect(answer.status).toBe(429);
  expect(await gateway.services.petsImports.get(created.id)).toMatchObject({
    state: 'awaiting_file',
    lines: 0,
  });
});

test('what is no animal is charged too: blank lines, and the bytes of long lines', async () => {
  const { apiKey, secret } = await gateway.keyOn(
    'enterprise',
    { requestsPerMinute: 50, requestsPerDay: 1000 },
    { role: 'owner' },
  );
  const options = { existing: 'replace', deleteMissing: false, dryRun: false, ignoreUnknown: true } as const;
  const created = await gateway.services.petsImports.create(
    { projectId: apiKey.projectId ?? '', ...options },
    { role: 'command line' },
  );
  const blank = '\n'.repeat(20_000);
  for (const [type, file, status] of [
    ['text/csv', `${HEADER}${blank}`, 400],
    ['application/x-ndjson', blank, 400],
    // Lines of 4,000 bytes each. They are charged as they arrive, and the files before have used most of the minute.
    ['application/x-ndjson', `{"x":"${'a'.repeat(4000)}"}\n`.repeat(450), 429],
  ] as const) {
    const answer = await gateway.request(`/imports/${created.id}/file`, {
      method: 'PUT',
      key: secret,
      headers: { 'content-type': type },
      body: file,
    });
    await expectError(answer, status, status === 400 ? 'query_too_costly' : 'rate_limit_exceeded');
  }
});

test('a file that no minute ever holds is too costly, with a key and by a session, and costs what was charged', async () => {
  const admin = await gateway.services.apiKeys.create({ name: 'admin', role: 'admin' });
  for (const isBySession of [false, true]) {
    const { apiKey, secret } = await gateway.keyOn(
      'enterprise',
      { requestsPerMinute: 60, requestsPerDay: 1000 },
      { role: 'owner' },
    );
    const created = await gateway.services.petsImports.create(
      {
        projectId: apiKey.projectId ?? '',
        existing: 'replace',
        deleteMissing: false,
        dryRun: true,
        ignoreUnknown: true,
      },
      { role: 'command line' },
    );
    const path = `/imports/${created.id}/file`;
    const file = csv(numbered(0, 7000));
    if (isBySession) {
      const session = await dashboardClient(gateway).enter(secret);
      const headers = { ...session.headers, 'content-type': 'text/csv' };
      expect(refusalOf(await session.send('PUT', path, headers, file))).toEqual([400, 'query_too_costly']);
    } else {
      const headers = { 'content-type': 'text/csv' };
      const answer = await gateway.request(path, { method: 'PUT', key: secret, headers, body: file });
      await expectError(answer, 400, 'query_too_costly');
    }
    const { apiKey: seen } = await dataOf(
      askGraphQL<{ apiKey: { quota: { windows: { used: number }[] } } }>(
        gateway,
        admin.secret,
        'query ($id: ID!) { apiKey(id: $id) { quota { windows { used } } } }',
        { id: apiKey.id },
      ),
    );
    const line = gateway.logLines
      .map((text) => JSON.parse(text) as { path?: string; cost?: number })
      .find((one) => one.path === path);
    expect(line?.cost).toBe(seen.quota.windows[0]?.used);
    expect(line?.cost).toBeGreaterThan(1);
  }
});

test('owners of other projects and server keys have no access', async () => {
  const [one, other] = [await newShelter(), await newShelter()];
  const { petsImport, uploadUrl } = await one.create({ dryRun: true });
  expect((await one.put(uploadUrl, csv(numbered(0, 1)), 'text/csv', other.secret)).status).toBe(404);
  expect(await other.find(petsImport.id)).toBeNull();
  const input = { input: { projectId: one.projectId } };
  const create =
    'mutation ($input: CreatePetsImportInput!) { createPetsImport(input: $input) { uploadUrl } }';
  expect(await codesOf(askGraphQL(gateway, other.secret, create, input))).toEqual(['forbidden']);
  const { secret: server } = await gateway.keyOn('free');
  expect(await codesOf(askGraphQL(gateway, server, create, input))).toEqual(['forbidden']);
  expect((await one.put(uploadUrl, HEADER, 'text/csv', server)).status).toBe(403);
  const startIt = 'mutation ($id: ID!) { startPetsImport(input: { id: $id }) { petsImport { id } } }';
  expect((await one.put(uploadUrl, csv(numbered(0, 1)))).status).toBe(200);
  expect(await codesOf(askGraphQL(gateway, other.secret, startIt, { id: petsImport.id }))).toEqual([
    'not_found',
  ]);
  expect(await codesOf(askGraphQL(gateway, one.secret, startIt, { id: petsImport.id }))).toEqual([]);
  expect(await codesOf(askGraphQL(gateway, one.secret, startIt, { id: petsImport.id }))).toEqual([
    'conflict',
  ]);
});

test('deleteAtMost needs deleteMissing', async () => {
  const { projectId, secret } = await newShelter();
  const create =
    'mutation ($input: CreatePetsImportInput!) { createPetsImport(input: $input) { uploadUrl } }';
  for (const input of [{ deleteAtMost: 3 }, { deleteAtMost: -1, deleteMissing: true }])
    expect(await codesOf(askGraphQL(gateway, secret, create, { input: { projectId, ...input } }))).toEqual([
      'invalid_request',
    ]);
});
