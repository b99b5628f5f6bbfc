import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/**
 * Kills all that this process has started, and all that they have started. They are stopped first, so that none starts
 * another one meanwhile. What has lost its parent is not found: tests tie such programs to themselves (tied-command.ts).
 */
export function endTree() {
  const stopped = new Set();
  for (;;) {
    const found = descendants(process.pid).filter((pid) => !stopped.has(pid));
    if (found.length === 0) break;
    for (const pid of found) {
      send(pid, 'SIGSTOP');
      stopped.add(pid);
    }
  }
  for (const pid of stopped) send(pid, 'SIGKILL');
}

/**
 * The processes that this one has started, and those that they have started.
 * @param {number} ancestor
 * @returns {number[]} pids
 */
export function descendants(ancestor) {
  const all = processes();
  const childrenOf = (pid) => all.filter(({ parent }) => parent === pid).map((child) => child.pid);
  const found = childrenOf(ancestor);
  // Grows while it is walked.
  for (const pid of found) found.push(...childrenOf(pid));
  return found;
}

function processes() {
  if (!existsSync('/proc/self/stat')) return listed();
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, parent] = /\) [A-Y] (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? [];
        return parent === undefined ? [] : [{ pid: Number(name), parent: Number(parent) }];
      } catch {
        // It has ended by itself.
        return [];
      }
    });
}

function listed() {
  const ps = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return ps.stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ +/).map(Number))
    .filter(([pid]) => pid !== ps.pid)
    .map(([pid, parent]) => ({ pid, parent }));
}

function send(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
