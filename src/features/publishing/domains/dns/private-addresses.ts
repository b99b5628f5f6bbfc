import { BlockList, isIP } from 'node:net';

/**
 * The networks in the IANA special-purpose address registries (RFC 6890), except documentation networks, which are not
 * in use. Includes all IPv6 addresses that embed an IPv4 address.
 */
const V4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
];
const V6: [string, number][] = [
  // ::, ::1, and addresses below 64:ff9b::/96 that embed an IPv4 address.
  ['::', 8],
  ['64:ff9b::', 16],
  ['100::', 64],
  ['2001::', 23],
  ['2002::', 16],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
];
// Two lists, because a single list would treat an IPv4 address as the IPv6 address that embeds it.
const [v4, v6] = [new BlockList(), new BlockList()];
for (const [network, prefix] of V4) v4.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of V6) v6.addSubnet(network, prefix, 'ipv6');

/** Whether `text` is an IP address that is not reachable on the public Internet. */
export function isPrivateAddress(text: string): boolean {
  switch (isIP(text)) {
    case 4:
      return v4.check(text, 'ipv4');
    case 6:
      return v6.check(text, 'ipv6');
    default:
      return false;
  }
}

/** What can be an address, perhaps with a port, after a label such as `tcp:`, or with the end of a sentence. */
const ADDRESS_LIKE = /[0-9a-f.:]+/gi;
const DOTTED_QUAD = /\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}/g;

/** Replaces the addresses of private networks in a text that others wrote. Customers must not see them. */
export function maskPrivateAddresses(text: string): string {
  return text.replace(ADDRESS_LIKE, (found) => {
    const { start, end } = withoutPunctuation(found);
    return isPrivateAddress(found.slice(start, end))
      ? `${found.slice(0, start)}${PRIVATE_ADDRESS}${found.slice(end)}`
      : found.replace(DOTTED_QUAD, (quad) => (isPrivateAddress(quad) ? PRIVATE_ADDRESS : quad));
  });
}

/** Where the address in a text of digits, dots and colons begins and ends; `::` belongs to it. */
function withoutPunctuation(text: string): { start: number; end: number } {
  const isPunctuation = (at: number) => text[at] === '.' || text[at] === ':';
  let end = text.length;
  while (end > 0 && isPunctuation(end - 1)) end -= 1;
  if (text.startsWith('::', end)) end += 2;
  let start = 0;
  while (start < end && isPunctuation(start) && !text.startsWith('::', start)) start += 1;
  return { start, end };
}

export const PRIVATE_ADDRESS = 'a private address';
