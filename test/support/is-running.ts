import { existsSync, readFileSync } from 'node:fs';

/** A process that has ended, but that nobody has asked about yet, is a zombie: it holds nothing any more. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    const stat = `/proc/${pid}/stat`;
    return !existsSync(stat) || !/\) [ZX] /.test(readFileSync(stat, 'utf8'));
  } catch {
    return false;
  }
}
