import { randomUUID } from 'node:crypto';
import { appendFile, cp, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Connection } from 'mongoose';
import { sha256 } from '../../src/lib/sha256.js';
import { backUp } from '../../src/platform/mongo/backup.js';
import { runCommand } from '../support/command-line.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { HISTORY_SECONDS } from '../support/history-seconds.js';
import { rawDatabase } from '../support/raw-database.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const folder = useTemporaryFolder();
const databases: TestDatabase[] = [];
const connections: Connection[] = [];
// A backup reads one moment of the past. On a busy machine it takes longer than the mongod of the tests keeps that.
beforeAll(() => keepHistory(300));
afterAll(async () => {
  await keepHistory(HISTORY_SECONDS);
  await Promise.all(connections.map((connection) => connection.close()));
  await Promise.all(databases.map((database) => database.drop()));
});

function newDatabase(): TestDatabase {
  const database = freshDatabase();
  databases.push(database);
  return database;
}

async function connectTo({ dbName }: TestDatabase): Promise<Connection> {
  const connection = await rawDatabase({ databaseName: dbName });
  connections.push(connection);
  return connection;
}

async function keepHistory(seconds: number): Promise<void> {
  const connection = await rawDatabase({ databaseName: 'admin' });
  await connection.db?.command({ setParameter: 1, minSnapshotHistoryWindowInSeconds: seconds });
  await connection.close();
}

/** Every document of every collection as its bytes, in hex: nothing is the same that only looks the same. */
async function contentOf(database: TestDatabase): Promise<Record<string, string[]>> {
  const connection = await connectTo(database);
  const db = connection.getClient().db(connection.name);
  const content: Record<string, string[]> = {};
  for (const { name } of await db.listCollections().toArray()) {
    const documents = await db.collection(name).find({}, { raw: true }).toArray();
    content[name] = documents
      .map((bytes) => Buffer.from(bytes as unknown as Uint8Array).toString('hex'))
      .sort();
  }
  return content;
}

async function shop(): Promise<TestDatabase> {
  const database = newDatabase();
  const { stdout } = await runCommand(database, ['projects', 'create', 'Shop', '--json']);
  const { id } = JSON.parse(stdout) as { id: string };
  await runCommand(database, ['keys', 'create', '--project', id]);
  const pets = join(folder(), 'pets.ndjson');
  const lines = Array.from(
    { length: 2500 },
    (_, i) => `{"name":"p${i}","categoryId":${2n ** 62n + BigInt(i)}}`,
  );
  await writeFile(pets, lines.join('\n'));
  expect((await runCommand(database, ['pets', 'import', pets])).code).toBe(0);
  return database;
}

const OK = { code: 0, stderr: '' };

test('restores a backup byte by byte, and a gateway works with it', async () => {
  const [from, to] = [await shop(), newDatabase()];
  const backup = join(folder(), 'backup');
  const { stdout, ...backedUp } = await runCommand(from, ['backup', backup, '--json']);
  expect(backedUp).toEqual(OK);
  expect(JSON.parse(stdout)).toContainEqual({
    collection: 'pets',
    documents: 2500,
    bytes: (await stat(join(backup, 'pets.bson.gz'))).size,
  });
  expect((await stat(join(backup, 'pets.bson.gz'))).mode & 0o777).toBe(0o600);

  const restored = await runCommand(to, ['restore', backup]);
  expect(restored).toMatchObject(OK);
  expect(restored.stdout).toMatch(
    /^Restored 2,\d{3} documents in \d+ collections in \d+\.\d s, from \/.*\/backup\n$/,
  );
  expect(await contentOf(to)).toEqual(await contentOf(from));
  expect(await runCommand(to, ['migrate'])).toMatchObject({ code: 0 });
  const list = ['keys', 'list', '--json'];
  const [before, after] = [await runCommand(from, list), await runCommand(to, list)];
  expect(after).toEqual(before);
});

test('for people, a backup says its size, time and place in one line', async () => {
  const backup = join(folder(), 'backup');
  const { stdout, stderr } = await runCommand(await shop(), ['backup', backup]);
  expect(stderr).toBe('');
  expect(stdout).toMatch(
    /^Backed up 2,\d{3} documents in \d+ collections, [\d.]+ kB in \d+\.\d s, to \/.*\/backup\n$/,
  );
});

test('large documents among small ones are restored, in batches of bounded size', async () => {
  const [from, to] = [newDatabase(), newDatabase()];
  const connection = await connectTo(from);
  const sizes = [9_000_000, 10, 7_000_000, 8_000_000, 0, 12_000_000];
  await connection
    .collection('blobs')
    .insertMany(sizes.map((size, i) => ({ i, bytes: Buffer.alloc(size, `${i} is not zero`) })));
  const backup = join(folder(), 'backup');
  expect(await runCommand(from, ['backup', backup])).toMatchObject(OK);
  expect(await runCommand(to, ['restore', backup])).toMatchObject(OK);
  expect(await contentOf(to)).toEqual(await contentOf(from));
});

test('a backup shows one moment of a database that is being written to', async () => {
  const from = await shop();
  const connection = await connectTo(from);
  let writes = 0;
  let isOver = false;
  const write = async () => {
    while (!isOver)
      await connection.transaction(async (session) => {
        // The collections lie at the beginning and at the end of the backup.
        await connection.collection('aFirst').insertOne({ write: writes }, { session });
        await connection.collection('zLast').insertOne({ write: writes }, { session });
        writes += 1;
      });
  };
  await connection.createCollection('aFirst');
  await connection.createCollection('zLast');
  const writing = write();
  const backup = join(folder(), 'backup');
  const atFirst = writes;
  expect(await runCommand(from, ['backup', backup])).toMatchObject(OK);
  isOver = true;
  await writing;
  expect(writes).toBeGreaterThan(atFirst);

  const to = newDatabase();
  await runCommand(to, ['restore', backup]);
  const { aFirst, zLast } = await contentOf(to);
  expect(aFirst).toHaveLength(zLast?.length ?? 0);
});

test('a backup that fails removes only its own files', async () => {
  const connection = await connectTo(await shop());
  const path = join(folder(), 'backup');
  let isFirst = true;
  await expect(
    backUp(connection, path, () => {
      if (isFirst) writeFileSync(join(path, 'own.txt'), 'mine');
      isFirst = false;
    }),
  ).rejects.toMatchObject({ code: 'ENOTEMPTY' });
  expect(await readdir(path)).toEqual(['own.txt']);
  expect(await readdir(folder())).not.toContain('backup.partial');
});

test('restore rejects a damaged or incomplete backup before it writes anything', async () => {
  const backup = join(folder(), 'backup');
  await runCommand(await shop(), ['backup', backup]);
  const refusal = async (path: string) => {
    const to = newDatabase();
    const { code, stderr } = await runCommand(to, ['restore', path]);
    expect(await contentOf(to)).toEqual({});
    expect(code).toBe(2);
    return stderr;
  };
  const damaged = join(folder(), 'damaged');
  await cp(backup, damaged, { recursive: true });
  await appendFile(join(damaged, 'pets.bson.gz'), 'x');
  expect(await refusal(damaged)).toMatch(/pets\.bson\.gz is damaged/);
  expect(await refusal(folder())).toMatch(/is not a backup/);
  await writeFile(join(damaged, 'manifest.json'), '{}');
  expect(await refusal(damaged)).toMatch(/cannot be read/);
});

/** A complete backup whose only collection has these bytes. `end` cuts bytes off the compressed file. */
async function forged(bytes: Buffer, { documents = 1, end = 0 } = {}): Promise<string> {
  const backup = join(folder(), `forged-${randomUUID()}`);
  await mkdir(backup);
  const file = gzipSync(bytes).subarray(0, -end || undefined);
  await writeFile(join(backup, 'pets.bson.gz'), file);
  const collections = [{ name: 'pets', documents, sha256: sha256(file) }];
  const manifest = { format: 1, createdAt: new Date().toISOString(), collections };
  await writeFile(join(backup, 'manifest.json'), JSON.stringify(manifest));
  return backup;
}

const lengthAnd = (length: number, bytes: number) => {
  const document = Buffer.alloc(4 + bytes);
  document.writeInt32LE(length);
  return document;
};
const MIB = 1024 * 1024;

test.each([
  // The end of the file is missing: a reader that goes on for the whole document fails there, in other words.
  ['a gibibyte', lengthAnd(1024 * MIB, 40 * MIB), { end: 1000 }, 'states a document of 1073741824 bytes'],
  [
    '16 MiB and a byte',
    lengthAnd(16 * MIB + 1, 40 * MIB),
    { end: 1000 },
    'states a document of 16777217 bytes',
  ],
  ['less than none', lengthAnd(-1, 100), {}, 'states a document of -1 bytes'],
  ['none', lengthAnd(0, 100), {}, 'states a document of 0 bytes'],
  ['more than there is', lengthAnd(1000, 100), {}, 'ends in the middle of a document'],
  ['the right length, in half a file', lengthAnd(200, 196), { end: 10 }, 'is not a complete gzip file'],
  [
    'fewer documents than stated',
    lengthAnd(5, 1),
    { documents: 2 },
    'has 1 documents; manifest.json states 2',
  ],
])('restore writes nothing of a backup that states %s', async (_, bytes, options, message) => {
  const backup = await forged(bytes, options);
  const to = newDatabase();
  expect(await runCommand(to, ['restore', backup])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(message) as string,
  });
  expect(await contentOf(to)).toEqual({});
});

test('restore reads no manifest of many megabytes', async () => {
  const backup = await forged(lengthAnd(5, 1));
  await appendFile(join(backup, 'manifest.json'), ' '.repeat(2 * MIB));
  expect(await runCommand(newDatabase(), ['restore', backup])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('cannot be read') as string,
  });
});

test('a backup overwrites no folder, and a restore no database', async () => {
  const from = await shop();
  const backup = join(folder(), 'backup');
  await runCommand(from, ['backup', backup]);
  const files = await readdir(backup);
  expect(await runCommand(from, ['backup', backup])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('exists already. Choose a folder that does not exist') as string,
  });
  expect(await readdir(backup)).toEqual(files);
  expect(await readdir(folder())).not.toContain('backup.partial');
  expect(await runCommand(from, ['restore', backup])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not empty') as string,
  });
});
