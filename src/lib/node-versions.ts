import { DAY_MS } from './clock.js';

/** For messages: the versions that CI tests and that get security fixes. */
export const SUPPORTED_NODES = '22, 24 or 26';

/** The last day of each major version, from https://github.com/nodejs/Release. Odd versions end after half a year. */
const ENDS_ON: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};

/** What an operator must know about a Node version, for example `20.19.0`, or undefined if it gets security fixes. */
export function nodeFaultOf(version: string, nowMs: number): string | undefined {
  const major = Number.parseInt(version, 10);
  const lastDay = ENDS_ON[major];
  if (lastDay === undefined || nowMs < Date.parse(lastDay) + DAY_MS) return undefined;
  return `Node ${major} is past its end of life and gets no security fixes: use Node ${SUPPORTED_NODES}`;
}
