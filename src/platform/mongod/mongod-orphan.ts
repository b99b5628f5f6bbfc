import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PATIENCE_MS = 30_000;

/**
 * Ends a mongod that outlived its gateway and still has `dbPath` open. Only the holder of the data directory lock may
 * call this, so no other gateway can own that mongod. Ends a process only if its command line names `dbPath`: the
 * recorded pid is not enough, because systems reuse pids.
 * @returns the pids of the ended processes
 * @throws Error when a process cannot be ended
 */
export async function endOrphans(dbPath: string, recordedPid: number | null): Promise<number[]> {
  const candidates = new Set([recordedPid, await pidInLockFile(dbPath)]);
  const ended: number[] = [];
  for (const pid of candidates) {
    if (pid === null || !(await serves(pid, dbPath))) continue;
    await end(pid, dbPath);
    ended.push(pid);
  }
  return ended;
}

/** mongod writes its pid to this file itself, so it is known even if the gateway died before recording it. */
async function pidInLockFile(dbPath: string): Promise<number | null> {
  const text = await readFile(join(dbPath, 'mongod.lock'), 'utf8').catch(() => '');
  const pid = Number.parseInt(text, 10);
  return pid > 0 ? pid : null;
}

async function end(pid: number, dbPath: string): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    send(pid, signal);
    const deadline = Date.now() + PATIENCE_MS;
    while (Date.now() < deadline) {
      // Check again each time: the system may have given the pid to another process.
      if (!(await serves(pid, dbPath))) return;
      await delay(50);
    }
  }
  throw new Error(`mongod (process ${pid}) still runs on ${dbPath} and cannot be ended. End it by hand.`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * Whether the process is alive and is a mongod on exactly this dbPath. False for a zombie, which has no command line.
 */
export async function serves(pid: number, dbPath: string): Promise<boolean> {
  const args = await commandLine(pid);
  if (typeof args === 'string')
    return args.includes('mongod') && `${args.trimEnd()} `.includes(`--dbpath ${dbPath} `);
  const at = args.indexOf('--dbpath');
  return at !== -1 && args[at + 1] === dbPath && args.some((arg) => arg.includes('mongod'));
}

async function commandLine(pid: number): Promise<string[] | string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  } catch {
    if (process.platform === 'linux') return [];
    const listed = await run('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).catch(() => ({ stdout: '' }));
    return listed.stdout;
  }
}
