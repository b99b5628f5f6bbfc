import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface ChildProgram {
  readonly pid: number;
  /** The next line it prints. */
  line(): Promise<string>;
  /** kill -9, resolved when the kernel has taken the process away. */
  kill(): Promise<void>;
}

/** Starts a program of test/support (a .cjs that loads the sources) as a process group of its own. */
export function startChild(program: string, ...args: string[]): ChildProgram {
  const register = join(__dirname, 'register-typescript.cjs');
  const child = spawn(process.execPath, ['--require', register, join(__dirname, program), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    pid: child.pid ?? 0,
    async line() {
      const next = await lines.next();
      if (next.done === true) throw new Error(`${program} ended without another line`);
      return next.value;
    },
    kill: () => kill(child),
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}
