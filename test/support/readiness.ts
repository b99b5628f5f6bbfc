/** Settings of a gateway whose checks a test reads with `readinessOf`. The key is not stored, so it works in any outage. */
export const WITH_CHECKS = { ADMIN_API_KEY: 'an-admin-key-that-reads-the-checks' };

export interface ReadinessAnswer {
  status: number;
  /** Empty while the gateway starts. */
  checks: Record<string, string>;
}

/** What `/health/ready` answers to an admin. @param key an admin key, the one of WITH_CHECKS by default */
export async function readinessOf(
  url: string,
  key = WITH_CHECKS.ADMIN_API_KEY,
  signal?: AbortSignal,
): Promise<ReadinessAnswer> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/health/ready`, { headers, ...(signal && { signal }) });
  const { checks = {} } = (await answer.json()) as Partial<ReadinessAnswer>;
  return { status: answer.status, checks };
}
