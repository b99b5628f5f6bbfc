import { join } from 'node:path';
import {
  CAA_ACCOUNT_NUMBER,
  CAA_ACCOUNTS,
  CAA_DECISIONS,
  CAA_ISSUER,
} from '../features/publishing/domains/dns/caa-decisions.js';
import { needs } from '../support/go-program.js';
import { startKnot } from '../support/knot.js';
import { mustRun } from '../support/run-program.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const folder = useTemporaryFolder();

test('Let’s Encrypt’s own code decides as the table that the gateway is tested with', async () => {
  await needs('go', ['version'], 'apt-get install -y golang-go');
  const program = join(folder(), 'caa-decisions');
  const source = join(__dirname, 'caa-decisions');
  await mustRun('go', ['build', '-o', program, '.'], { cwd: source, timeoutMs: 600_000 });
  const knot = await startKnot();
  try {
    const names = CAA_DECISIONS.map((_decision, row) => `row-${row}.example`);
    for (const [row, [, records]] of CAA_DECISIONS.entries())
      await knot.set(names[row] ?? '', 'CAA', ...records);
    const authority = [
      ...['-server', knot.address, '-issuer', CAA_ISSUER],
      ...['-accounts', CAA_ACCOUNTS, '-account', String(CAA_ACCOUNT_NUMBER)],
    ];
    const output = await mustRun(program, [...authority, ...names]);
    const decided = output.trim().split('\n');
    expect(CAA_DECISIONS.map(([title], row) => [title, decided[row] === 'permits'])).toEqual(
      CAA_DECISIONS.map(([title, , permits]) => [title, permits]),
    );
    // No row is refused for another reason, such as a failed lookup.
    expect(decided.filter((line) => !/^permits$|^refuses caa /.test(line))).toEqual([]);
  } finally {
    await knot.close();
  }
});
