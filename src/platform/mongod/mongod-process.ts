import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const STOP_TIMEOUT_MS = 30_000;

export interface MongodExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface MongodProcess {
  readonly pid: number;
  readonly exited: Promise<MongodExit>;
  /** Signals the process. Does nothing once the process has exited. */
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM for a clean shutdown, and SIGKILL after 30 s. Resolves when the process is gone. */
  stop(): Promise<void>;
}

/**
 * Starts mongod in its own process group, so that Ctrl-C in a terminal reaches only the gateway, which stops mongod
 * after its own shutdown. On Linux with a suitable setpriv, the kernel sends mongod SIGTERM when the thread that
 * started it ends, so call this from the main thread.
 * @throws Error when the program cannot be started
 */
export async function spawnMongod(binary: string, args: string[], logFile: string): Promise<MongodProcess> {
  const tie = await tieToThisProcess();
  const [program, ...rest] = [...tie, binary, ...args] as [string, ...string[]];
  // The log file also gets the output that mongod prints before it opens its log, for example about a bad option.
  const output = await open(logFile, 'a', 0o600);
  try {
    const child = spawn(program, rest, { detached: true, stdio: ['ignore', output.fd, output.fd] });
    await once(child, 'spawn');
    return asProcess(child);
  } finally {
    await output.close();
  }
}

/** setpriv is part of util-linux. BusyBox's setpriv lacks the option, so test it first. */
async function tieToThisProcess(): Promise<string[]> {
  if (process.platform !== 'linux') return [];
  const command = ['setpriv', '--pdeathsig', 'TERM', '--'];
  const [program, ...options] = command as [string, ...string[]];
  return run(program, [...options, 'true']).then(
    () => command,
    () => [],
  );
}

function asProcess(child: ChildProcess): MongodProcess {
  const exited = new Promise<MongodExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const signal = (name: NodeJS.Signals): void => void child.kill(name);
  return {
    pid: child.pid ?? 0,
    exited,
    signal,
    async stop() {
      signal('SIGTERM');
      const impatience = setTimeout(() => signal('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(impatience);
    },
  };
}

/** With less free disk space, mongod neither writes its journal nor starts. */
const NEEDED_MB = 16;

/**
 * Describes why an embedded mongod ended. Checks for a full disk directly: mongod's log is on the same disk and may
 * lack the error.
 */
export async function describeEnd({ code, signal }: MongodExit, dataDir: string): Promise<string> {
  const how = signal === null ? `code ${String(code)}` : `on ${signal}`;
  const freeMb = await freeMegabytes(dataDir);
  const why =
    freeMb < NEEDED_MB
      ? `the disk of ${dataDir} is full (${freeMb} MB free): free some space and start again`
      : `its log is in ${dataDir}`;
  return `mongod ended unexpectedly (${how}); ${why}`;
}

async function freeMegabytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return Math.floor((bavail * bsize) / (1024 * 1024));
}

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
  throw new Error(
    `mongod (process ${pid}) still runs on ${dbPath} and the gateway cannot stop it. Stop it yourself.`,
  );
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
