import { readFileSync } from 'node:fs';

export interface ProcessUsage {
  /** User and system time since the process began, microseconds. */
  cpuUs: number;
  residentMiB: number;
}

/** Linux counts a process's time in hundredths of a second (USER_HZ), on every architecture Node runs on. */
const TICK_US = 10_000;
/** proc_pid_stat(5): utime and stime are fields 14 and 15; the second field, in brackets, may hold spaces. */
const UTIME = 14;
const FIELDS_TO_BRACKET = 2;

export function usageOf(pid: number): ProcessUsage {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const utime = UTIME - FIELDS_TO_BRACKET - 1;
  const ticks = Number(fields[utime]) + Number(fields[utime + 1]);
  const residentKiB = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { cpuUs: ticks * TICK_US, residentMiB: Number(residentKiB) / 1024 };
}
