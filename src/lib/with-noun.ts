/** Returns a count with its noun: `1 request`, `2 requests`. */
export function withNoun(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
