/** How much of a client's address the log may hold. */
export const LOGGED_ADDRESSES = ['full', 'shortened', 'none'] as const;
export type LoggedAddresses = (typeof LOGGED_ADDRESSES)[number];

/**
 * A client as client-address.ts tells it, for the log. Shortened it names a network and not a person: an IPv4 /24, an
 * IPv6 /48.
 */
export function loggedAddress(client: string, addresses: LoggedAddresses): string | undefined {
  if (addresses === 'none') return undefined;
  if (addresses === 'full') return client;
  if (client.endsWith('/64')) return `${client.split(':').slice(0, 3).join(':')}::/48`;
  return client.replace(/\.\d+$/, '.0/24');
}
