import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** Addresses come in many requests each; reading one takes longer than looking it up. */
const clients = new LRUCache<string, string>({ max: 1000, memoMethod: readClient });

/**
 * What one client is, as far as its address tells: an IPv4 address, or an IPv6 /64, which is what one customer
 * gets at least (RFC 6177) and can vary at will.
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
