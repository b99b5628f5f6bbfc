import './register-typescript.cjs';
import os from 'node:os';
import { mongo } from 'mongoose';
import { startEmbeddedMongod } from '../../src/platform/mongod/embedded-mongod.js';
import { HISTORY_SECONDS } from './history-seconds.js';
import { testMongod } from './mongod.js';
import { makeRunFolder } from './run-folder.js';

/**
 * One mongod for the whole run; each test file takes a database of its own in it (database.ts). A run within another
 * one, as for each mutant, finds it there.
 */
export default async function globalSetup(): Promise<void> {
  if (process.env['TEST_MONGODB_URI'] !== undefined) return;
  const dataDir = await makeRunFolder();
  const mongod = await startEmbeddedMongod({ dataDir, binary: await testMongod() });
  await forgetSoon(mongod.uri);
  process.env['TEST_MONGODB_URI'] = patient(mongod.uri);
  globalThis.testRun = { mongod, dataDir };
}

/**
 * A burst of commands opens connections two at a time, which on a busy machine takes longer than the gateway's own limit
 * of 3 s. Tests of that limit reach MongoDB through a wire, whose URI lacks this (mongo-uri-through.ts).
 */
function patient(uri: string): string {
  const url = new URL(uri);
  url.searchParams.set('waitQueueTimeoutMS', '60000');
  return url.href;
}

async function forgetSoon(uri: string): Promise<void> {
  const client = new mongo.MongoClient(uri, { runtimeAdapters: { os } });
  try {
    await client.db('admin').command({ setParameter: 1, minSnapshotHistoryWindowInSeconds: HISTORY_SECONDS });
  } finally {
    await client.close();
  }
}
