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
