/**
 * Returns whether this process can serve requests. Looks at the database at most once in half a second for all clients.
 * It writes nothing, and its result changes nothing in this process.
 * @param charge called before a new look; if it returns false, a result of up to five seconds is good enough
 */
export type PublicReadiness = (charge: () => boolean) => Promise<boolean>;

/** The result of one check of the stores. */
export interface Readiness {
  /** Whether this process can serve requests. */
  ready: boolean;
  /** The checks by name. Each text is `ok`, ends with `ok`, or is the reason for the failure. */
  checks: Record<string, string>;
  /**
   * How far MongoDB's clock is ahead of this process's clock, in milliseconds; negative if behind. Undefined while
   * MongoDB does not respond.
   */
  clockOffsetMs: number | undefined;
}

/** Whether the text of a check says that all is well. */
export const isWell = (check: string): boolean => /\bok$/.test(check);

/**
 * Combines what the processes of one gateway report: ready if all are, and for each check the first text that is a
 * reason for a failure. Undefined if there is no report.
 */
export function worstOf(reports: readonly Readiness[]): Readiness | undefined {
  const [first, ...others] = reports;
  if (first === undefined) return undefined;
  const checks = { ...first.checks };
  for (const other of others)
    for (const [name, text] of Object.entries(other.checks))
      if (isWell(checks[name] ?? 'ok')) checks[name] = text;
  return { ...first, ready: reports.every(({ ready }) => ready), checks };
}
