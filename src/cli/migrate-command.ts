import { Command } from 'commander';
import { progress, withDatabase } from './context.js';
import { printRows } from './output.js';

interface MigrateOptions {
  contract?: boolean;
  dryRun?: boolean;
}

export function migrateCommand(): Command {
  return new Command('migrate')
    .description('prepare the database for this version; gateways of the version before can keep running')
    .option(
      '--contract',
      'also remove what only earlier versions need. After that you cannot roll back to them',
    )
    .option('--dry-run', 'list the changes without making them')
    .action(({ contract = false, dryRun = false }: MigrateOptions, command: Command) =>
      withDatabase(command, async ({ connection }, output, config) => {
        const { wantedDatabase } = await import('../app/migrations/wanted-database.js');
        const { describeGap } = await import('../platform/mongo/collections.js');
        const { migrate } = await import('../platform/mongo/migrations.js');
        const { findPending } = await import('../platform/mongo/pending-migrations.js');
        const wanted = wantedDatabase(config);
        const { gaps, steps, contractSteps } = await findPending(connection, wanted);
        if (!dryRun) await migrate(connection, wanted, { contract, report: progress });
        const done = dryRun ? 'pending' : 'done';
        const rows = [
          ...gaps.map((gap) => ({ change: describeGap(gap), state: done })),
          ...steps.map(({ name }) => ({ change: name, state: done })),
          ...contractSteps.map(({ name }) => ({
            change: name,
            state: contract ? done : 'waiting for --contract',
          })),
        ];
        printRows(output, rows, 'Nothing to do: the database is prepared for this version.');
      }),
    );
}
