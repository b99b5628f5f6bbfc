import { Command } from 'commander';
import { givenNames, loadConfig } from '../config/config.js';
import { examine } from './doctor/examine.js';
import type { Finding } from './doctor/finding.js';
import { systemClock } from '../lib/clock.js';
import { openDatabase } from '../platform/mongod/database.js';

/** As for every command, a wrong setting is reported before any check runs. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('look at everything the gateway depends on, and say what is missing or misconfigured')
    .action(async (_options: unknown, command: Command) => {
      const config = loadConfig();
      const progress = (line: string) => process.stderr.write(`${line}\n`);
      const findings = await examine(
        config,
        givenNames(),
        () => openDatabase(config, { join: true, progress }),
        systemClock,
      );
      const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
      process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : findings.map(toText).join(''));
      const faults = findings.filter(({ verdict }) => verdict === 'fault').length;
      if (faults > 0) throw new Error(faults === 1 ? 'There is a fault.' : `There are ${faults} faults.`);
    });
}

const MARK = { ok: '✓', warning: '!', fault: '✗' } as const;

function toText({ verdict, check, finding, remedy }: Finding): string {
  const line = `${MARK[verdict]} ${check}: ${finding}\n`;
  return remedy === undefined ? line : `${line}    ${remedy}\n`;
}
