/** The result of one check. */
export interface Finding {
  /** What was checked. */
  check: string;
  /**
   * A fault keeps something from working. A warning will keep it from working, or makes it work less well than
   * expected.
   */
  verdict: 'ok' | 'warning' | 'fault';
  finding: string;
  /** What to do about the finding. */
  remedy?: string;
}

export const ok = (check: string, finding: string): Finding => ({ check, verdict: 'ok', finding });
export const warning = (check: string, finding: string, remedy: string): Finding => ({
  check,
  verdict: 'warning',
  finding,
  remedy,
});
export const fault = (check: string, finding: string, remedy: string): Finding => ({
  check,
  verdict: 'fault',
  finding,
  remedy,
});
