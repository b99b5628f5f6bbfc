import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { tied } from '../../test/support/tied-command.js';

export interface RunningServer {
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

/**
 * Starts a program that prints its address, once it is ready, on a line of stdout. In a process group of its own:
 * Ctrl-C reaches the bench alone, which ends it.
 * @param logFile where its stderr goes; among the bench's own unless said
 */
export async function startServer(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  logFile?: string,
): Promise<RunningServer> {
  const [program, tiedArgs] = tied(command, args);
  const stderr = logFile === undefined ? 'inherit' : openSync(logFile, 'w');
  const child = spawn(program, tiedArgs, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', stderr],
    detached: true,
  });
  if (typeof stderr === 'number') closeSync(stderr);
  try {
    await once(child, 'spawn');
    const url = await printedUrl(child, [command, ...args].join(' '));
    // What it prints from now on is of no interest, but a full pipe would hold it up.
    child.stdout?.resume();
    return { url, pid: child.pid ?? 0, stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

async function printedUrl({ stdout }: ChildProcess, what: string): Promise<string> {
  if (stdout === null) throw new Error('stdout is a pipe');
  const lines = createInterface({ input: stdout });
  try {
    for await (const line of lines) {
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(line) ?? [];
      if (url !== undefined) return url;
    }
  } finally {
    lines.close();
  }
  throw new Error(`${what} ended before it printed its address`);
}

/** The bench has no request under way when it stops a server; what takes longer is killed. */
const STOP_TIMEOUT_MS = 15_000;
const GROUP_POLL_MS = 20;

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  signalGroup(child, 'SIGTERM');
  const impatience = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_TIMEOUT_MS);
  await exited;
  // `npm` may end before what it has started, which may still hold the data directory.
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isGroupThere(child) && Date.now() < deadline) await sleep(GROUP_POLL_MS);
  clearTimeout(impatience);
}

function isGroupThere({ pid }: ChildProcess): boolean {
  try {
    return pid !== undefined && process.kill(-pid, 0);
  } catch {
    return false;
  }
}

/** What `npm` has started included. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) process.kill(-pid, signal);
}
