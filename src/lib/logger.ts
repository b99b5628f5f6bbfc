import { pino, type DestinationStream, type Logger } from 'pino';
import { paintFor, type Paint } from './paint.js';

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

export function createLogger({ level, pretty }: LoggerSettings, destination?: DestinationStream): Logger {
  const options = { level, redact: REDACTED, base: null };
  return pino(options, destination ?? (pretty ? terminalDestination() : stderrDestination()));
}

/** Writes one short line for each request, and the message and the other fields of every other line. */
function terminalDestination(): DestinationStream {
  const paint = paintFor(process.stderr);
  return {
    write(json: string) {
      process.stderr.write(`${CLEAR_LINE}${renderLine(JSON.parse(json) as LogLine, paint)}\n`);
    },
  };
}

interface LogLine {
  level: number;
  time: number;
  msg?: string;
  err?: { stack?: string };
  [field: string]: unknown;
}

/** Over what the start display left on the line. */
const CLEAR_LINE = '\r\u001b[K';
const LEVELS: Readonly<Record<number, string>> = {
  20: 'debug',
  30: '',
  40: 'warning',
  50: 'error',
  60: 'fatal',
};

function renderLine(line: LogLine, paint: Paint): string {
  const { level, time, msg = '', err, ...fields } = line;
  const clock = paint('dim', new Date(time).toTimeString().slice(0, 8));
  if (msg === REQUEST_LINE) return `${clock} ${renderRequest(fields, paint)}`;
  const name = LEVELS[level] ?? '';
  const label = name === '' ? '' : `${paint(level >= 50 ? 'red' : 'yellow', name)} `;
  const rest = Object.keys(fields).length === 0 ? '' : ` ${paint('dim', JSON.stringify(fields))}`;
  return `${clock} ${label}${msg}${rest}${err?.stack === undefined ? '' : `\n${err.stack}`}`;
}

function renderRequest({ method, path, status, durationMs }: Record<string, unknown>, paint: Paint): string {
  const code = Number(status);
  const color = code >= 500 ? 'red' : code >= 400 ? 'yellow' : 'green';
  return `${String(method)} ${String(path)} ${paint(color, String(status))} ${paint('dim', `${String(durationMs)} ms`)}`;
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
