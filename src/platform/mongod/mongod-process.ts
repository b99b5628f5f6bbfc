import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
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
