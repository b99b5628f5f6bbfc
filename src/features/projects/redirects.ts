import { invalidRequest } from '../../lib/errors.js';

/** Redirects visitors of one host of a project to another, keeping path and query. */
export interface Redirect {
  /** ASCII names. */
  from: string;
  to: string;
  status: RedirectStatus;
}

const REDIRECT_STATUSES = [301, 302, 307, 308] as const;
export type RedirectStatus = (typeof REDIRECT_STATUSES)[number];
export const DEFAULT_REDIRECT_STATUS: RedirectStatus = 301;

/**
 * Adds the redirect, in place of another redirect from the same host.
 * @throws ApiError invalid_request if the redirect leads back to itself, directly or through other redirects
 */
export function withRedirect(redirects: readonly Redirect[], added: Redirect): Redirect[] {
  const others = redirects.filter(({ from }) => from !== added.from);
  const targetOf = new Map(others.map(({ from, to }) => [from, to]));
  const way = [added.from];
  for (let at: string | undefined = added.to; at !== undefined; at = targetOf.get(at)) {
    way.push(at);
    if (at === added.from)
      throw invalidRequest({ field: 'to', message: `creates a redirect loop: ${way.join(' → ')}` });
  }
  return [...others, added];
}

/** The redirects that remain after a domain is removed: none of them leads to it or from it. */
export function withoutDomain(redirects: readonly Redirect[], name: string): Redirect[] {
  return redirects.filter(({ from, to }) => from !== name && to !== name);
}

/** @throws ApiError invalid_request */
export function checkRedirectStatus(status: number): RedirectStatus {
  const known = REDIRECT_STATUSES.find((one) => one === status);
  if (known === undefined)
    throw invalidRequest({ field: 'status', message: `must be one of ${REDIRECT_STATUSES.join(', ')}` });
  return known;
}
