import { Command } from 'commander';
import { outputOf, progress } from './context.js';
import { paint } from './terminal-colors.js';
import type { Finding } from './doctor/finding.js';

/** As for every command, a wrong setting is reported before any check runs. */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check the settings and everything that the gateway depends on')
    .action(async (_options: unknown, command: Command) => {
      const { loadConfig, unknownSettings } = await import('../config/config.js');
      const { systemClock } = await import('../lib/clock.js');
      const { openDatabase } = await import('../platform/mongod/database.js');
      const { examine } = await import('./doctor/examine.js');
      const config = loadConfig();
      const findings = await examine(
        config,
        unknownSettings(),
        () => openDatabase(config, { join: true, progress }),
        systemClock,
      );
      const { json, write } = outputOf(command);
      write(json ? `${JSON.stringify(findings, null, 2)}\n` : findings.map(toText).join(''));
      const faults = findings.filter(({ verdict }) => verdict === 'fault').length;
      if (faults > 0)
        throw new Error(
          `${faults === 1 ? '1 check' : `${faults} checks`} failed. The lines that begin with ${MARK.fault} say what to do.`,
        );
    });
}

const COLOR = { ok: 'green', warning: 'yellow', fault: 'red' } as const;
const MARK = { ok: '✓', warning: '!', fault: '✗' } as const;

function toText({ verdict, check, finding, remedy }: Finding): string {
  const line = `${paint(COLOR[verdict], MARK[verdict])} ${check}: ${finding}\n`;
  return remedy === undefined ? line : `${line}    ${remedy}\n`;
}
