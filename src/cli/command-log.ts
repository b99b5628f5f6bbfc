import { createLogger, type Logger } from '../lib/logger.js';

/** A logger for one command. It writes errors to standard error as `warning: …`, because the command goes on. */
export function commandLog(): Logger {
  return createLogger(
    { level: 'error', pretty: false },
    {
      write(line) {
        const { msg, reason, err } = JSON.parse(line) as { msg: string; reason?: string; err?: Error };
        const cause = reason ?? err?.message;
        process.stderr.write(`warning: ${cause === undefined ? msg : `${msg} (${cause})`}\n`);
      },
    },
  );
}
