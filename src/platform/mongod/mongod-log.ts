import { open, rename, stat } from 'node:fs/promises';

const LARGEST_BYTES = 16 * 1024 * 1024;
const READ_BYTES = 64 * 1024;
const QUOTED_LINES = 5;
const LONGEST_LINE = 400;

/**
 * Moves a log of `limitBytes` or more to `<log>.1` and replaces an earlier `<log>.1`. Returns whether the log was
 * moved.
 */
export async function setAsideLargeLog(log: string, limitBytes = LARGEST_BYTES): Promise<boolean> {
  if ((await logSize(log)) < limitBytes) return false;
  await rename(log, `${log}.1`);
  return true;
}

/** Bytes; 0 when there is no log yet. */
export async function logSize(log: string): Promise<number> {
  return stat(log).then(
    ({ size }) => size,
    () => 0,
  );
}

/** The last errors in the log after `fromByte`, or its last lines if it has no errors; at most five lines. */
export async function lastWords(log: string, fromByte: number): Promise<string> {
  const lines = (await readTail(log, fromByte)).split('\n').filter((line) => line.trim() !== '');
  const complaints = lines.filter(isComplaint);
  const quoted = (complaints.length > 0 ? complaints : lines).slice(-QUOTED_LINES);
  return quoted.map((line) => `  ${readable(line).slice(0, LONGEST_LINE)}`).join('\n');
}

async function readTail(log: string, fromByte: number): Promise<string> {
  const size = await logSize(log);
  const start = Math.max(fromByte, size - READ_BYTES);
  if (size <= start) return '';
  const file = await open(log, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(size - start), 0, size - start, start);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

interface LogEntry {
  s?: string;
  msg?: string;
  attr?: unknown;
}

function parse(line: string): LogEntry | undefined {
  try {
    return JSON.parse(line) as LogEntry;
  } catch {
    return undefined;
  }
}

/**
 * Errors and fatal errors. A line that is not JSON was printed before logging started, for example about a bad option.
 */
function isComplaint(line: string): boolean {
  const entry = parse(line);
  return entry === undefined || entry.s === 'E' || entry.s === 'F';
}

function readable(line: string): string {
  const entry = parse(line);
  if (entry?.msg === undefined) return line;
  return entry.attr === undefined ? entry.msg : `${entry.msg} ${JSON.stringify(entry.attr)}`;
}
