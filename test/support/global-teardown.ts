import { rm } from 'node:fs/promises';

export default async function globalTeardown(): Promise<void> {
  if (globalThis.testRun === undefined) return;
  const { mongod, dataDir } = globalThis.testRun;
  await mongod.stop();
  await rm(dataDir, { recursive: true, force: true });
}
