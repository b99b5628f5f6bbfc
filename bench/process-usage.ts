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

/** Of a process and of those it started, as the workers of a gateway are. */
export function usageOf(pid: number): ProcessUsage {
  const own = ownUsageOf(pid);
  return childrenOf(pid)
    .map(usageOf)
    .reduce(
      (sum, { cpuUs, residentMiB }) => ({
        cpuUs: sum.cpuUs + cpuUs,
        residentMiB: sum.residentMiB + residentMiB,
      }),
      own,
    );
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Of a process alone. */
export function ownUsageOf(pid: number): ProcessUsage {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const utime = UTIME - FIELDS_TO_BRACKET - 1;
  const ticks = Number(fields[utime]) + Number(fields[utime + 1]);
  const residentKiB = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { cpuUs: ticks * TICK_US, residentMiB: Number(residentKiB) / 1024 };
}
