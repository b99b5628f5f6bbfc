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

/** What a line about a request says; there may be thousands of them in a second. */
export const REQUEST_LINE = 'request';
const STDERR = 2;
/** Lines about requests are written together: when there are so many bytes of them, or after so long. */
const BUFFER_BYTES = 16_000;
const FLUSH_MS = 500;

/** In a pretty log, what a line about a request shows in its message and so not beside it again. */
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

/** One for the process, whoever logs: lines that wait must not be overtaken. */
function stderrDestination(): DestinationStream {
  return (stderr ??= openStderr());
}

/** Everything is written at once, but for lines about requests that may wait for more of their kind. */
function openStderr(): DestinationStream {
  const stream = pino.destination({
    dest: STDERR,
    // What is written beside the others may be overtaken, and is lost in a crash.
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
