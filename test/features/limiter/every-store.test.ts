import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(__dirname, '../../../src/features/limiter');

/** The stores of counters that outlive the process, by the first word of their files: `mongo`, `redis`. */
const stores = readdirSync(SOURCES).flatMap((file) => {
  const [, store] = /^([a-z]+)-counters\.ts$/.exec(file) ?? [];
  const isStored = /\): StoredCounters\b/.test(readFileSync(join(SOURCES, file), 'utf8'));
  return store !== undefined && isStored ? [store] : [];
});

test('there are stores', () => {
  expect(stores).toEqual(expect.arrayContaining(['mongo', 'redis']));
});

test.each(stores)('%s is held to what every store of counters promises', (store) => {
  const tests = readdirSync(__dirname);
  const missing = ['limiter-over-', 'leases-over-'].filter(
    (contract) => !tests.some((file) => file.startsWith(`${contract}${store}`)),
  );
  expect(missing).toEqual([]);
});
