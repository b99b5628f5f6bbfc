import { Readable } from 'node:stream';
import type { Connection } from 'mongoose';
import { createMongoAuditStore } from '../../../src/features/audit/mongo-audit-store.js';
import { createMongoPetsImportsStore } from '../../../src/features/synchronization/mongo-pets-imports-store.js';
import {
  createPetsImports,
  IMPORT_LEASE_MS,
  MAX_PLANNINGS,
  type PetsImportsParts,
} from '../../../src/features/synchronization/pets-imports.js';
import { transact } from '../../../src/platform/mongo/connection.js';
import { useGateway } from '../../support/gateway.js';
import { rawDatabase } from '../../support/raw-database.js';

const gateway = useGateway();
let raw: Connection;
beforeAll(async () => {
  raw = await rawDatabase(gateway);
});
afterAll(() => raw.close());

const BY = { role: 'command line' } as const;
const HEADER = 'externalId,name,categoryId,status\n';
const csv = (...rows: string[]) => HEADER + rows.map((row) => `${row},1,available\n`).join('');
const arriving = (file: string) => ({ chunks: Readable.from([Buffer.from(file)]), format: 'csv' as const });

const ignore = () => Promise.resolve();

/**
 * Imports of one process. `beforePage` is called before each page of writes but the first, `atCompare` when animals were
 * read to be compared.
 */
function importsOf(
  beforePage: () => Promise<void>,
  aheadMs = 0,
  beforeWrites: () => Promise<void> = ignore,
  atCompare: () => Promise<void> = ignore,
) {
  const { services } = gateway;
  const store = createMongoPetsImportsStore(raw);
  const errors: unknown[] = [];
  const parts: PetsImportsParts = {
    imports: {
      ...store,
      async writes(upload, kinds, after, limit) {
        if (after !== undefined) await beforePage();
        return store.writes(upload, kinds, after, limit);
      },
      async petsWith(...args) {
        const found = await store.petsWith(...args);
        await atCompare();
        return found;
      },
      async beginWrites(claimed, plan) {
        await beforeWrites();
        return store.beginWrites(claimed, plan);
      },
    },
    pets: services.petsStore,
    projects: services.projects,
    audit: createMongoAuditStore(raw),
    callerChecks: services.callerChecks,
    transact: (run) => transact(raw, run),
    onError: (error) => errors.push(error),
    clock: () => Date.now() + aheadMs,
  };
  return { imports: createPetsImports(parts), errors };
}

async function newProject(file: string): Promise<string> {
  const { id } = await gateway.services.projects.create({ name: 'Shelter' });
  await bring(gateway.services.petsImports, id, file);
  return id;
}

async function bring(imports: ReturnType<typeof importsOf>['imports'], projectId: string, file: string) {
  const options = { projectId, existing: 'replace', deleteMissing: true, deleteAtMost: 1000 } as const;
  const made = await imports.create({ ...options, dryRun: false, ignoreUnknown: false }, BY);
  return imports.receive(made, arriving(file), BY, Infinity);
}

async function petOf(projectId: string, externalId: string) {
  return (await createMongoPetsImportsStore(raw).petsWith(projectId, [externalId])).get(externalId);
}

async function rowsOf(id: string) {
  const found = await raw.collection<{ _id: string; upload: string }>('petsImports').findOne({ _id: id });
  const rows = raw.collection<{ _id: string }>('petsImportRows');
  const ofUpload = { $gt: `${found?.upload}:`, $lt: `${found?.upload};` };
  return rows.find({ _id: ofUpload }, { sort: { _id: 1 } }).toArray();
}

/** 500 writes are one page: the first has C-0000, C-0001 and N-0000 to N-0497. */
const OLD = csv('C-0000,Old', 'C-0001,Old', 'R-0000,Gone');
const NEW = csv(
  'C-0000,New',
  'C-0001,New',
  ...Array.from({ length: 700 }, (_, i) => `N-${String(i).padStart(4, '0')},Pet ${i}`),
);
const COUNTS = { added: 700, changed: 2, unchanged: 0, removed: 1, rejected: 0 };

/** After the first page of writes, clients remove an animal of it, and give another one its old name. */
async function clientsChange(projectId: string): Promise<void> {
  const { petsStore } = gateway.services;
  const removed = await petOf(projectId, 'N-0003');
  const restored = await petOf(projectId, 'C-0001');
  expect(restored?.name).toBe('New');
  await petsStore.remove(removed?.id ?? 0n, {});
  await petsStore.update(restored?.id ?? 0n, { name: 'Old' }, {});
}

async function expectChangesStay(projectId: string): Promise<void> {
  expect(await petOf(projectId, 'N-0003')).toBeUndefined();
  expect(await petOf(projectId, 'C-0001')).toMatchObject({ name: 'Old' });
  expect(await petOf(projectId, 'C-0000')).toMatchObject({ name: 'New' });
  expect(await petOf(projectId, 'R-0000')).toBeUndefined();
  expect(await gateway.services.pets.count({ projectId })).toBe(701);
}

test('an import that continues repeats no page of writes', async () => {
  const projectId = await newProject(OLD);
  const killed = new Error('killed');
  const first = importsOf(() => Promise.reject(killed));
  const { id } = await bring(first.imports, projectId, NEW);
  expect(first.errors).toEqual([killed]);
  expect(await gateway.services.petsImports.get(id)).toMatchObject({ state: 'applying' });
  await clientsChange(projectId);

  const next = importsOf(() => Promise.resolve(), IMPORT_LEASE_MS + 1000);
  await next.imports.workDue();
  expect(next.errors).toEqual([]);
  expect(await next.imports.get(id)).toMatchObject({ state: 'done', counts: COUNTS });
  await expectChangesStay(projectId);
});

test('a process whose import was taken over writes nothing more', async () => {
  const projectId = await newProject(OLD);
  const next = importsOf(() => Promise.resolve(), IMPORT_LEASE_MS + 1000);
  let isTaken = false;
  const slow = importsOf(async () => {
    if (isTaken) return;
    isTaken = true;
    await next.imports.workDue();
    await clientsChange(projectId);
    // The other process has written these, and a client removes one.
    const later = await petOf(projectId, 'N-0600');
    await gateway.services.petsStore.remove(later?.id ?? 0n, {});
  });
  const done = await bring(slow.imports, projectId, NEW);
  expect([slow.errors, next.errors]).toEqual([[], []]);
  expect(done).toMatchObject({ state: 'done', counts: COUNTS });
  expect(await petOf(projectId, 'N-0600')).toBeUndefined();
});

test('a dropped line counts once when the import continues', async () => {
  const projectId = await newProject(OLD);
  const { petsStore } = gateway.services;
  const { imports } = importsOf(
    () => Promise.reject(new Error('killed')),
    0,
    async () => {
      const pet = await petOf(projectId, 'C-0000');
      await petsStore.update(pet?.id ?? 0n, { name: 'By hand' }, {});
    },
  );
  const { id } = await bring(imports, projectId, NEW);
  const next = importsOf(() => Promise.resolve(), IMPORT_LEASE_MS + 1000);
  await next.imports.workDue();
  expect(await next.imports.get(id)).toMatchObject({
    state: 'done',
    counts: { ...COUNTS, changed: 1, rejected: 1 },
    rejections: [{ line: 2 }],
  });
  expect(await petOf(projectId, 'C-0000')).toMatchObject({ name: 'By hand' });
});

test('an upload whose import has another file by then leaves no rows', async () => {
  const { petsImports, projects } = gateway.services;
  const { id: projectId } = await projects.create({ name: 'Shelter' });
  for (const dryRun of [false, true]) {
    const options = { projectId, existing: 'skip', deleteMissing: false, ignoreUnknown: false } as const;
    const made = await petsImports.create({ ...options, dryRun }, BY);
    // Other tests leave checks that wait.
    const before = await raw.collection('petsImportRows').countDocuments();
    async function* late() {
      await petsImports.receive(made, arriving(csv('A-0,First')), BY, Infinity);
      yield Buffer.from(csv('A-0,Second', 'A-1,Second'));
    }
    const second = petsImports.receive(made, { chunks: late(), format: 'csv' }, BY, Infinity);
    await expect(second).rejects.toMatchObject({ code: 'conflict' });
    // A check that waits to be started keeps the rows of its own file.
    expect(await raw.collection('petsImportRows').countDocuments()).toBe(before + (dryRun ? 1 : 0));
  }
});

test('the audit record names who started the import, also after another process continued it', async () => {
  const projectId = await newProject(OLD);
  const first = importsOf(() => Promise.reject(new Error('killed')));
  const options = { projectId, existing: 'replace', deleteMissing: false, ignoreUnknown: false } as const;
  const made = await first.imports.create({ ...options, dryRun: true }, { ...BY, systemUser: 'ann@web-1' });
  const checked = await first.imports.receive(made, arriving(NEW), BY, Infinity);
  await first.imports.start(checked, { ...BY, systemUser: 'bob@web-1' }, Infinity);
  await importsOf(() => Promise.resolve(), IMPORT_LEASE_MS + 1000).imports.workDue();
  const { records } = await gateway.services.audit.list({ first: 10, target: { projectId } });
  expect(records.find(({ after }) => after['import'] === made.id)).toMatchObject({
    actor: { role: 'command line', systemUser: 'bob@web-1' },
  });
  expect(await gateway.services.petsImports.get(made.id)).toMatchObject({
    createdBy: { systemUser: 'ann@web-1' },
  });
});

test('an animal that changes between plan and removal stays', async () => {
  const projectId = await newProject(csv('A-0,Stays', 'A-1,Reserved', 'A-2,Gone', 'A-3,Removed by hand'));
  const { petsStore } = gateway.services;
  const changing = importsOf(
    () => Promise.resolve(),
    0,
    async () => {
      const [reserved, removed] = [await petOf(projectId, 'A-1'), await petOf(projectId, 'A-3')];
      await petsStore.update(reserved?.id ?? 0n, { status: 'pending' }, {});
      await petsStore.remove(removed?.id ?? 0n, {});
    },
  );
  const done = await bring(changing.imports, projectId, csv('A-0,Stays'));
  expect(changing.errors).toEqual([]);
  expect(done).toMatchObject({ state: 'done', counts: { removed: 1, unchanged: 1, rejected: 0 } });
  expect(done.notRemovedReason).toMatch(/^Animals that the file does not name were changed/);
  expect(await petOf(projectId, 'A-1')).toMatchObject({ status: 'pending' });
  expect(await petOf(projectId, 'A-2')).toBeUndefined();
});

test('an animal to remove that somebody else removed meanwhile is no reason to import again', async () => {
  const projectId = await newProject(csv('A-0,Stays', 'A-1,Gone'));
  const removing = importsOf(
    () => Promise.resolve(),
    0,
    async () => {
      await gateway.services.petsStore.remove((await petOf(projectId, 'A-1'))?.id ?? 0n, {});
    },
  );
  const done = await bring(removing.imports, projectId, csv('A-0,Stays'));
  expect(done).toMatchObject({ state: 'done', counts: { removed: 0 } });
  expect(done.notRemovedReason).toBeUndefined();
});

describe('an import that cannot be planned', () => {
  /** The imports of a process whose planning always fails, each time after the lease of the run before. */
  async function workOften(times: number): Promise<unknown[]> {
    const errors: unknown[] = [];
    for (let i = 1; i <= times; i++) {
      const failing = importsOf(ignore, i * (IMPORT_LEASE_MS + 1000), () =>
        Promise.reject(new Error('broken')),
      );
      await failing.imports.workDue();
      errors.push(...failing.errors);
    }
    return errors;
  }

  test('fails after some attempts, says why, and lets other imports run', async () => {
    const projectId = await newProject(OLD);
    const broken = importsOf(ignore, 0, () => Promise.reject(new Error('broken')));
    const { id } = await bring(broken.imports, projectId, NEW);
    expect(await workOften(MAX_PLANNINGS - 1)).toHaveLength(MAX_PLANNINGS - 1);
    expect(await gateway.services.petsImports.get(id)).toMatchObject({ state: 'applying' });
    await expect(bring(gateway.services.petsImports, projectId, NEW)).rejects.toMatchObject({
      code: 'conflict',
    });

    expect(await workOften(MAX_PLANNINGS + 1)).toEqual([]);
    const failed = await gateway.services.petsImports.get(id);
    expect(failed).toMatchObject({
      state: 'failed',
      problem: expect.stringMatching(/^The gateway tried 5 times/) as unknown,
    });
    expect(await gateway.services.pets.count({ projectId })).toBe(3);
    expect(await bring(gateway.services.petsImports, projectId, NEW)).toMatchObject({ state: 'done' });
    expect(await rowsOf(id)).toEqual([]);
  });

  test('is not given up because its gateways stop', async () => {
    const projectId = await newProject(OLD);
    const stopping = () => {
      const process = importsOf(ignore, 0, () => {
        void process.imports.close();
        return Promise.reject(new Error('stopped'));
      });
      return process.imports;
    };
    const { id } = await bring(stopping(), projectId, NEW);
    for (let i = 0; i < MAX_PLANNINGS + 1; i++) await stopping().workDue();
    await importsOf(ignore).imports.workDue();
    expect(await gateway.services.petsImports.get(id)).toMatchObject({ state: 'done' });
  });
});

test('of two dry runs that are checked at the same time, one stays', async () => {
  const { id: projectId } = await gateway.services.projects.create({ name: 'Shelter' });
  const { imports } = importsOf(ignore);
  const options = { projectId, existing: 'skip', deleteMissing: false, ignoreUnknown: false } as const;
  const made = await Promise.all([1, 2].map(() => imports.create({ ...options, dryRun: true }, BY)));

  // Both are checked before either makes others expire.
  const model = raw.model('PetsImport');
  const updateMany = model.updateMany.bind(model) as (...args: unknown[]) => Promise<unknown>;
  let arrived = 0;
  let release: () => void = () => undefined;
  const bothArrived = new Promise<void>((resolve) => (release = resolve));
  const spied = jest.spyOn(model, 'updateMany').mockImplementation((async (...args: unknown[]) => {
    arrived += 1;
    if (arrived === 2) release();
    await bothArrived;
    return updateMany(...args);
  }) as never);
  try {
    await Promise.all(made.map((one) => imports.receive(one, arriving(csv('A-0,Rex')), BY, Infinity)));
  } finally {
    spied.mockRestore();
  }
  const states = await Promise.all(made.map(async ({ id }) => (await imports.get(id)).state));
  expect(states.sort()).toEqual(['checked', 'expired']);
});

test('a process that was suspended while it planned changes nothing in the plan of the next', async () => {
  const projectId = await newProject(OLD);
  let made = '';
  const killed = new Error('killed');
  const next = importsOf(ignore, IMPORT_LEASE_MS + 1000, () => Promise.reject(killed));
  let plan: unknown[] = [];
  const slow = importsOf(ignore, 0, ignore, async () => {
    if (plan.length > 0) return;
    await next.imports.workDue();
    made = String((await raw.collection('petsImports').findOne({ projectId, state: 'applying' }))?._id);
    plan = await rowsOf(made);
  });
  const { id } = await bring(slow.imports, projectId, NEW);
  expect([slow.errors, next.errors]).toEqual([[], [killed]]);
  expect(plan).toHaveLength(703);
  expect(await rowsOf(made)).toEqual(plan);

  await importsOf(ignore, 2 * (IMPORT_LEASE_MS + 1000)).imports.workDue();
  expect(await gateway.services.petsImports.get(id)).toMatchObject({ state: 'done', counts: COUNTS });
});
