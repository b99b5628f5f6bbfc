import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ProgramResult {
  code: number | null;
  /** What it printed, stdout and stderr in one. */
  output: string;
}

export interface RunOptions {
  cwd?: string;
  env?: Record<string, string>;
  timeoutMs?: number;
}

/** Runs a program to its end; one that takes too long is killed with everything it started. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env = {}, timeoutMs = 240_000 }: RunOptions = {},
): Promise<ProgramResult> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const timer = setTimeout(() => {
    output += `\n${program} was ended after ${timeoutMs / 1000} s\n`;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, timeoutMs);
  try {
    // Rejects with ENOENT when there is no such program.
    await once(child, 'close');
  } finally {
    clearTimeout(timer);
  }
  return { code: child.exitCode, output };
}

/** Runs a program that has to succeed. @throws Error with all that it printed */
export async function mustRun(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { code, output } = await runProgram(program, args, options);
  if (code !== 0) throw new Error(`${program} ${args[0] ?? ''} ended with ${code ?? 'a signal'}:\n${output}`);
  return output;
}
