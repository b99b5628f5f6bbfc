import { getDomain } from 'tldts';

/**
 * Whether browsers take two hosts for one site: a page of the one then sends the other's `SameSite` cookies along
 * (HTML standard, "same site"). Two hosts under one registrable domain are, with the private part of the Public Suffix
 * List counted; whether the ports or the schemes differ is not asked.
 */
export function isSameSite(one: string, other: string): boolean {
  return siteOf(one) === siteOf(other);
}

/** An IP address, a public suffix and `localhost` are sites by themselves. */
function siteOf(host: string): string {
  return getDomain(host, { allowPrivateDomains: true }) ?? host;
}
