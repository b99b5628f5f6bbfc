/** How the key stands in the window with the fewest requests remaining, as the latest answer told. */
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
