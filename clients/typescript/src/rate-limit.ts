/** The state of the key's quota in the window with the fewest requests remaining, from the latest response. */
export interface RateLimit {
  limit: number;
  remaining: number;
  resetAt: Date;
}

export function rateLimitOf({ headers }: Response): RateLimit | undefined {
  const [limit, remaining, resetSeconds] = ['Limit', 'Remaining', 'Reset'].map((name) =>
    Number(headers.get(`X-RateLimit-${name}`) ?? NaN),
  );
  if (limit === undefined || remaining === undefined || resetSeconds === undefined) return undefined;
  if ([limit, remaining, resetSeconds].some(Number.isNaN)) return undefined;
  return { limit, remaining, resetAt: new Date(resetSeconds * 1000) };
}
