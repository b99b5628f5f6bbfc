import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wantedDatabase } from '../../../src/app/migrations/wanted-database.js';

/** Made when they are first written to. */
const OTHERS = ['acmeAccounts', 'certificateBudgets', 'imports', 'readings', 'sequences', 'setup'];

test('docs/retention.md says of every collection how long what is in it is kept', async () => {
  const page = await readFile(join(__dirname, '../../../docs/retention.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| '));
  const { collections } = wantedDatabase({ platformHost: 'pets.test', redisUrl: undefined });
  const names = [...collections.map(({ name }) => name), ...OTHERS];
  expect(names.filter((name) => !rows.some((row) => row.includes(`\`${name}\``)))).toEqual([]);
});
