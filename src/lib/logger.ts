import { pino, type DestinationStream, type LogFn, type Logger } from 'pino';
import { openLogStream, type LogStream } from './log-stream.js';
import { paintFor, type Paint } from './paint.js';
import { createRepeatLimit, describeRepeats } from './repeat-limit.js';

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
const WARN = 40;

/**
 * A logger to standard error unless `destination` is given. Of warnings and errors that differ only in their fields, as
 * a store that fails causes in each request, it writes the first of each minute, and then their number.
 */
export function createLogger({ level, pretty }: LoggerSettings, destination?: DestinationStream): Logger {
  const options = { level, redact: REDACTED, base: null, hooks: { logMethod: limitRepeats() } };
  return pino(options, destination ?? stderrDestination(pretty));
}

function limitRepeats() {
  const repeats = createRepeatLimit();
  return function (this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
    const [fields, message] = args as unknown[];
    const text = String(typeof fields === 'string' ? fields : message);
    const report = (repeated: number, seconds: number) =>
      method.call(this, { repeated }, `${text} (${describeRepeats(repeated, seconds)})`);
    // Lines about requests have their own limit: see logRequest.
    if (level < WARN || text === REQUEST_LINE || repeats.admits(`${text}${originOf(fields)}`, report))
      method.apply(this, args);
  };
}

/** Where the error of a line was thrown: one message may stand for several faults. */
function originOf(fields: unknown): string {
  const { err } = (fields ?? {}) as { err?: unknown };
  const stack = err instanceof Error ? (err.stack ?? '') : '';
  return stack.split('\n').find((line) => line.trimStart().startsWith('at ')) ?? '';
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

let stderr: LogStream | undefined;

/** The number of log lines that this process dropped because the reader of standard error did not take them. */
export function droppedLogLines(): number {
  return stderr?.dropped() ?? 0;
}

/** One stream per process, shared by all loggers, so that no line overtakes another. Only lines about requests wait. */
function stderrDestination(pretty: boolean): DestinationStream {
  const paint = paintFor(process.stderr);
  const render = (json: string) =>
    pretty ? `${CLEAR_LINE}${renderLine(JSON.parse(json) as LogLine, paint)}\n` : json;
  stderr ??= openLogStream((lines) => render(droppedLine(lines)));
  const { write } = stderr;
  return {
    write(json: string) {
      write(render(json), json.endsWith(REQUEST_END));
    },
  };
}

function droppedLine(lines: number): string {
  const msg = `${lines.toLocaleString('en')} log lines dropped: the reader of standard error did not take them`;
  return `${JSON.stringify({ level: WARN, time: Date.now(), lines, msg })}\n`;
}

const REQUEST_END = `"msg":"${REQUEST_LINE}"}\n`;
