import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** A cache: an address comes with many requests, and parsing it takes longer than a look-up. */
const clients = new LRUCache<string, string>({ max: 1000, memoMethod: readClient });

/**
 * Returns the identity of a client by its address: an IPv4 address, or an IPv6 /64. A /64 is the least that one
 * customer gets (RFC 6177), and the customer can vary the rest at will. Returns `unknown` for an invalid address.
 */
export function clientOf(address: string | undefined): string {
  return address === undefined ? 'unknown' : clients.memo(address);
}

function readClient(address: string): string {
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
