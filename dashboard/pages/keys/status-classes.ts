import type { Series } from '../../components/bar-chart.js';

/** Groups of response statuses, from the bottom of a bar to its top. */
export const STATUS_CLASSES: readonly Series[] = [
  { name: '2xx and 3xx', tone: 'good' },
  { name: '4xx', tone: 'info' },
  { name: '429', tone: 'warn' },
  { name: '5xx', tone: 'bad' },
];

/** Returns the number of requests in each group of STATUS_CLASSES. */
export function countByClass(groups: readonly { status: number; requests: number }[]): number[] {
  const counts = STATUS_CLASSES.map(() => 0);
  for (const { status, requests } of groups) {
    const at = classOf(status);
    counts[at] = (counts[at] ?? 0) + requests;
  }
  return counts;
}

function classOf(status: number): number {
  if (status === 429) return 2;
  if (status >= 500) return 3;
  return status >= 400 ? 1 : 0;
}
