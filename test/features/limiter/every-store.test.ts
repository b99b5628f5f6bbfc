import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(__dirname, '../../../src/features/limiter');

/** The quota stores, by the first word of their files: `mongo`, `redis`. */
const stores = readdirSync(SOURCES).flatMap((file) => {
  const [, store] = /^([a-z]+)-quota-store\.ts$/.exec(file) ?? [];
  return store === undefined ? [] : [store];
});

test('there are stores', () => {
  expect(stores).toEqual(expect.arrayContaining(['mongo', 'redis']));
});

test.each(stores)('%s is held to what every quota store promises', (store) => {
  const tests = readdirSync(__dirname);
  expect(tests.filter((file) => file.startsWith(`limiter-over-${store}`))).toHaveLength(1);
});
