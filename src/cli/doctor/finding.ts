/** What an examination says of one thing. */
export interface Finding {
  /** What was looked at. */
  check: string;
  /** A fault keeps something from working; a warning will, or makes it work less well than people think. */
  verdict: 'ok' | 'warning' | 'fault';
  finding: string;
  /** What to do about it. */
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
