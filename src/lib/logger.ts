import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

export interface LoggerSettings {
  level: string;
  /** For people on a terminal; JSON lines otherwise. */
  pretty: boolean;
}

/** Secrets have no business in a log object; should one get there all the same, these paths hide it. */
const REDACTED = [
  'authorization',
  '*.authorization',
  'secret',
  '*.secret',
  'headers.authorization',
  'headers.cookie',
];

export function createLogger({ level, pretty }: LoggerSettings, destination?: DestinationStream): Logger {
  const options = { level, redact: REDACTED, base: null };
  if (destination !== undefined) return pino(options, destination);
  return pretty
    ? pino({
        ...options,
        transport: { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } },
      })
    : pino(options, pino.destination(2));
}
