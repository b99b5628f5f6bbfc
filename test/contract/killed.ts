import { createOwnDatabase, createPet, namesOfPets } from '../e2e/own-database.js';
import { isRunning } from '../support/is-running.js';
import { until } from '../support/until.js';

const KEY = 'an-admin-key-of-my-own-choosing';
const SETTINGS = { SEED_DEMO: '0', ADMIN_API_KEY: KEY };

type Victim = 'the gateway' | 'mongod' | 'both';

export function describeKilled(victims: readonly Victim[]): void {
  test.each(victims)(
    'kill -9 of %s during creates: the next start has every acknowledged pet, and one mongod',
    async (victim) => {
      const database = await createOwnDatabase();
      try {
        const gateway = await database.start(SETTINGS);
        // No demo, no key printed, and the configured one is an admin.
        expect(gateway.output()).not.toContain('pets_live_');
        expect(await namesOfPets(gateway, KEY)).toHaveProperty('size', 0);

        const pid = database.mongodPid();
        const acknowledged: string[] = [];
        let killed = false;
        const writers = Array.from({ length: 8 }, async (_, writer) => {
          for (let i = 0; !killed; i++) {
            const name = await createPet(gateway, KEY, `${writer}-${i}`);
            if (name !== undefined) acknowledged.push(name);
          }
        });
        await until('a hundred creates', () => Promise.resolve(acknowledged.length > 100));
        if (victim !== 'the gateway') process.kill(pid, 'SIGKILL');
        if (victim !== 'mongod') await gateway.stop('SIGKILL');
        killed = true;
        await Promise.all(writers);
        // Without its database the gateway ends by itself, and says so.
        if (victim === 'mongod') expect(await gateway.ended()).toBe(1);

        const next = await database.start(SETTINGS);
        const names = await namesOfPets(next, KEY);
        expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
        expect(isRunning(pid)).toBe(false);
      } finally {
        await database.close();
      }
    },
  );
}
