import { getDomain } from 'tldts';

/**
 * Whether browsers treat two hosts as the same site: a page of one host then sends the other's `SameSite` cookies along
 * (HTML standard, "same site"). Two hosts under one registrable domain are the same site, where the private part of the
 * Public Suffix List counts. Ignores ports and schemes.
 */
export function isSameSite(one: string, other: string): boolean {
  return siteOf(one) === siteOf(other);
}

/** An IP address, a public suffix and `localhost` are each a site of their own. */
function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
