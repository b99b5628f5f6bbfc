/** How much of a client's address the log may contain. */
export const LOGGED_ADDRESSES = ['full', 'shortened', 'none'] as const;
export type LoggedAddresses = (typeof LOGGED_ADDRESSES)[number];

/**
 * Formats a client, as returned by client-address.ts, for the log. A shortened address names a network and not a
 * person: an IPv4 /24 or an IPv6 /48. Undefined with `none`.
 */
export function loggedAddress(client: string, addresses: LoggedAddresses): string | undefined {
  if (addresses === 'none') return undefined;
  if (addresses === 'full') return client;
  if (client.endsWith('/64')) return `${client.split(':').slice(0, 3).join(':')}::/48`;
  return client.replace(/^(\d+\.\d+\.\d+)\.\d+$/, '$1.0/24');
}
