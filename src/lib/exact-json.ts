/** Whether one of the members themselves is a bigint. */
export function hasBigInt(value: object | undefined): boolean {
  return value !== undefined && Object.values(value).some((member) => typeof member === 'bigint');
}

/** JSON.stringify, except that bigints become numbers with all their digits. Slower: for values that have a bigint. */
export function exactJson(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((member) => exactJson(member ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}:${exactJson(member)}`);
  return `{${members.join(',')}}`;
}
