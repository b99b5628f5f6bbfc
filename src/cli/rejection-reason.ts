import type { Refusal } from '../features/usage/usage.js';

/** Why a request got 429, in a few words: `minute limit of 60`. */
export function reasonOf({ code, window, limit, cost }: Refusal): string {
  if (code === 'key_banned') return 'banned';
  const name = window === 'client' ? "a client's share" : `${window ?? 'quota'} limit`;
  const of = limit === undefined ? name : `${name} of ${limit}`;
  return cost === undefined || cost === 1 ? of : `${of}, cost ${cost}`;
}
