import { pino, type DestinationStream, type Logger } from 'pino';

export type { Logger } from 'pino';

export interface LoggerSettings {
  level: string;
  /** Human-readable lines for a terminal instead of JSON lines. */
  pretty: boolean;
}

/** Code must not put secrets into log objects. These paths mask secrets that get there anyway. */
const REDACTED = [
  'authorization',
  '*.authorization',
  'secret',
  '*.secret',
  'headers.authorization',
  'headers.cookie',
];

/** The message of a line about a request. There may be thousands of these lines per second. */
export const REQUEST_LINE = 'request';
const STDERR = 2;
/** Lines about requests are written together: after this number of bytes, or after FLUSH_MS. */
const BUFFER_BYTES = 16_000;
const FLUSH_MS = 500;

/** Fields of a request line that the pretty message already shows, and that are not repeated beside it. */
const PRETTY_REQUEST = ['method', 'path', 'status', 'durationMs'];

export function createLogger({ level, pretty }: LoggerSettings, destination?: DestinationStream): Logger {
  const options = { level, redact: REDACTED, base: null };
  if (destination !== undefined) return pino(options, destination);
  return pretty ? pino({ ...options, transport: prettyTransport() }) : pino(options, stderrDestination());
}

function prettyTransport() {
  return {
    target: 'pino-pretty',
    options: {
      destination: STDERR,
      singleLine: true,
      messageFormat: '{msg}{if durationMs} {method} {path} {status} in {durationMs} ms{end}',
      ignore: ['pid', 'hostname', ...PRETTY_REQUEST].join(','),
    },
  };
}

let stderr: DestinationStream | undefined;

/** One stream per process, shared by all loggers, so that other lines do not overtake buffered lines. */
function stderrDestination(): DestinationStream {
  return (stderr ??= openStderr());
}

/** Writes each line at once. Only a line about a request may wait for further lines about requests. */
function openStderr(): DestinationStream {
  const stream = pino.destination({
    dest: STDERR,
    // Asynchronous writes could arrive out of order, and would be lost in a crash.
    sync: true,
    minLength: BUFFER_BYTES,
    periodicFlush: FLUSH_MS,
  });
  process.on('exit', () => stream.flushSync());
  return {
    write(line: string) {
      stream.write(line);
      if (!line.endsWith(REQUEST_END)) stream.flushSync();
    },
  };
}

const REQUEST_END = `"msg":"${REQUEST_LINE}"}\n`;
