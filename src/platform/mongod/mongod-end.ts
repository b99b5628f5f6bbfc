import { statfs } from 'node:fs/promises';
import type { MongodExit } from './mongod-process.js';

/** With less free disk space, mongod neither writes its journal nor starts. */
const NEEDED_MB = 16;

/**
 * Describes why an embedded mongod ended. Checks for a full disk directly: mongod's log is on the same disk and may
 * lack the error.
 */
export async function describeEnd({ code, signal }: MongodExit, dataDir: string): Promise<string> {
  const how = signal === null ? `code ${String(code)}` : `on ${signal}`;
  const freeMb = await freeMegabytes(dataDir);
  const why =
    freeMb < NEEDED_MB
      ? `the disk of ${dataDir} is full (${freeMb} MB free): make room and start again`
      : `its log is in ${dataDir}`;
  return `mongod ended unexpectedly (${how}); ${why}`;
}

async function freeMegabytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.floor((bavail * bsize) / (1024 * 1024));
}
