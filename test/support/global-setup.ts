import './register-typescript.cjs';
import { startEmbeddedMongod } from '../../src/mongo/embedded-mongod.js';
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
  process.env['TEST_MONGODB_URI'] = mongod.uri;
  globalThis.testRun = { mongod, dataDir };
}
