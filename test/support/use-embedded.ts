import os from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { startEmbeddedMongod, type EmbeddedMongod } from '../../src/platform/mongod/embedded-mongod.js';
import { endOrphans } from '../../src/platform/mongod/mongod-process.js';
import { startChild, type ChildProgram } from './child.js';
import { testMongod } from './mongod.js';
import { useTemporaryFolder } from './temporary-folder.js';

export interface EmbeddedTests {
  dataDir(): string;
  dbPath(): string;
  /** Lines that the starts of this test have logged. */
  log(): readonly string[];
  start(): Promise<EmbeddedMongod>;
  /** The same in a process of its own, which prints the pid of mongod and its URI once it is up. */
  startProcess(): Promise<ChildProgram>;
}

/** Starts of embedded mongods in a data directory of the test's own; whatever still runs after it is ended. */
export function useEmbedded(): EmbeddedTests {
  let started: EmbeddedMongod[] = [];
  let processes: ChildProgram[] = [];
  let lines: string[] = [];
  // Ahead of the folder's own removal: hooks run in the order of their definition.
  afterEach(async () => {
    await Promise.all(processes.map((child) => child.kill()));
    await Promise.all(started.map((mongod) => mongod.stop()));
    await endOrphans(dbPath(), null);
    processes = [];
    started = [];
    lines = [];
  });
  const folder = useTemporaryFolder();
  const dataDir = (): string => join(folder(), 'data');
  const dbPath = (): string => join(dataDir(), 'db');
  return {
    dataDir,
    dbPath,
    log: () => lines,
    async start() {
      const binary = await testMongod();
      const mongod = await startEmbeddedMongod({
        dataDir: dataDir(),
        binary,
        log: (line) => lines.push(line),
      });
      started.push(mongod);
      return mongod;
    },
    async startProcess() {
      const child = startChild('hold-mongod.cjs', dataDir(), await testMongod());
      processes.push(child);
      return child;
    },
  };
}

interface Record {
  _id: string;
}

/** Inserts and waits until the write is in the journal of a majority. */
export async function insert(uri: string, id: string): Promise<void> {
  await withRecords(uri, (records) =>
    records.insertOne({ _id: id }, { writeConcern: { w: 'majority', journal: true } }),
  );
}

export async function ids(uri: string): Promise<string[]> {
  return withRecords(uri, async (records) => {
    const found = await records.find().sort({ _id: 1 }).toArray();
    return found.map(({ _id }) => _id);
  });
}

async function withRecords<T>(
  uri: string,
  use: (records: mongo.Collection<Record>) => Promise<T>,
): Promise<T> {
  const client = new mongo.MongoClient(uri, { serverSelectionTimeoutMS: 10_000, runtimeAdapters: { os } });
  try {
    return await use(client.db('durability').collection<Record>('records'));
  } finally {
    await client.close();
  }
}
