import type { EmbeddedMongod } from '../../src/platform/mongod/embedded-mongod.js';

declare global {
  /** What global-setup.ts leaves for global-teardown.ts, which runs in the same process. */
  var testRun: { mongod: EmbeddedMongod; dataDir: string } | undefined;
  /** Names of databases that a later gateway can use, in all files of a process (compile-once.cjs). */
  var freeDatabases: Map<string, string[]>;
}
