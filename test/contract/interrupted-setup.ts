import { setTimeout as delay } from 'node:timers/promises';
import { readConnection } from '../../src/platform/mongod/mongod-connection.js';
import { ids, insert, type EmbeddedTests } from '../support/use-embedded.js';

/** Kills gateways amid their first start, so many milliseconds after the setup of their database began. */
export function describeInterruptedSetup(embedded: EmbeddedTests, killedAfterMs: readonly number[]): void {
  test.each(killedAfterMs)(
    'a first start that is killed %i ms into its setup is taken up by the next one',
    async (afterMs) => {
      const child = await embedded.startProcess();
      while ((await readConnection(embedded.dataDir())) === undefined) await delay(5);
      await delay(afterMs);
      // With every other step mongod dies in the same moment.
      const pid = (await readConnection(embedded.dataDir()))?.pid ?? null;
      if (pid !== null && afterMs % 300 === 0) process.kill(pid, 'SIGKILL');
      await child.kill();
      const mongod = await embedded.start();
      await insert(mongod.uri, 'a');
      await expect(ids(mongod.uri)).resolves.toEqual(['a']);
    },
  );
}
