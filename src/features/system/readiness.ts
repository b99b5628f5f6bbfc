/** What one look at the stores said. */
export interface Readiness {
  /** Requests can be answered. */
  ready: boolean;
  /** What was looked at, each `ok` or ending with it, or the reason why not. */
  checks: Record<string, string>;
  /** How far MongoDB's clock is ahead of ours, milliseconds; negative: behind. Undefined while MongoDB does not answer. */
  clockOffsetMs: number | undefined;
}
