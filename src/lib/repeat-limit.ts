/** How often a line of one kind is written in a period. */
const MOST_ALIKE = 10;
const PERIOD_MS = 60_000;
/** Bounds the memory: beyond this number of kinds in a period, all further kinds count as one. */
const MOST_KINDS = 1000;

export interface RepeatLimit {
  /**
   * Whether to write this line. If later lines of its kind in the same period are not written, `report` is called with
   * their number and the length of the period: when the period ends, or the process.
   */
  admits(kind: string, report: (repeated: number, seconds: number) => void): boolean;
}

/** Admits the first MOST_ALIKE lines of each kind in a period of PERIOD_MS. */
export function createRepeatLimit(): RepeatLimit {
  const kinds = new Map<string, { lines: number; report: (repeated: number, seconds: number) => void }>();
  let beganMs = 0;
  let timer: NodeJS.Timeout | undefined;

  function begin(): void {
    beganMs = performance.now();
    timer = setTimeout(finish, PERIOD_MS).unref();
    process.once('exit', finish);
  }

  function finish(): void {
    clearTimeout(timer);
    timer = undefined;
    process.off('exit', finish);
    const seconds = Math.round((performance.now() - beganMs) / 1000);
    const ended = [...kinds.values()];
    kinds.clear();
    for (const { lines, report } of ended) if (lines > MOST_ALIKE) report(lines - MOST_ALIKE, seconds);
  }

  return {
    admits(wanted, report) {
      if (timer === undefined) begin();
      const kind = kinds.size < MOST_KINDS || kinds.has(wanted) ? wanted : '';
      const seen = kinds.get(kind);
      if (seen === undefined) kinds.set(kind, { lines: 1, report });
      else seen.lines += 1;
      return (seen?.lines ?? 1) <= MOST_ALIKE;
    },
  };
}

/** "repeated 12,345 times in 60 s" */
export function describeRepeats(repeated: number, seconds: number): string {
  return `repeated ${repeated.toLocaleString('en')} ${repeated === 1 ? 'time' : 'times'} in ${seconds} s`;
}
