import { Command } from 'commander';
import { wantedDatabase } from '../app/migrations/wanted-database.js';
import { describeGap } from '../platform/mongo/collections.js';
import { migrate } from '../platform/mongo/migrations.js';
import { findPending } from '../platform/mongo/pending-migrations.js';
import { withDatabase } from './context.js';
import { printRows } from './output.js';

interface MigrateOptions {
  contract?: boolean;
  dryRun?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description(
      'prepare the database for this version, as its start would, while gateways of the version before run',
    )
    .option('--contract', 'also what only the versions before needed: there is no way back to them')
    .option('--dry-run', 'say what would be done, and do nothing')
    .action(({ contract = false, dryRun = false }: MigrateOptions, command: Command) =>
      withDatabase(command, async ({ connection }, output, config) => {
        const wanted = wantedDatabase(config);
        const { gaps, steps, contractSteps } = await findPending(connection, wanted);
        const report = (line: string) => process.stderr.write(`${line}\n`);
        if (!dryRun) await migrate(connection, wanted, { contract, report });
        const done = dryRun ? 'pending' : 'done';
        const rows = [
          ...gaps.map((gap) => ({ change: describeGap(gap), state: done })),
          ...steps.map(({ name }) => ({ change: name, state: done })),
          ...contractSteps.map(({ name }) => ({
            change: name,
            state: contract ? done : 'waits for --contract',
          })),
        ];
        printRows(output, rows, 'Nothing is pending.');
      }),
    );
}
