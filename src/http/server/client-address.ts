import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';

/** A cache: an address comes with many requests, and parsing it takes longer than a look-up. */
const clients = new LRUCache<string, string>({ max: 1000, memoMethod: readClient });

/** The longest node that is looked at: an obfuscated identifier and port of 64 characters each. */
const LONGEST_NODE = 130;
const PORT = /^:(?:[0-9]{1,5}|_[A-Za-z0-9._-]+)$/;
const OBFUSCATED = /^_[A-Za-z0-9._-]{1,63}$/;

/**
 * Returns the identity of a client by its address: an IPv4 address, an IPv6 /64, or the identifier that a proxy uses in
 * place of an address (RFC 7239 section 6.3). A /64 is the least that one customer gets (RFC 6177), and the customer can
 * vary the rest at will. The port does not count. Returns `unknown` for everything else.
 */
export function clientOf(address: string | undefined): string {
  return address === undefined ? 'unknown' : clients.memo(address);
}

/**
 * Returns the address or identifier in a node of RFC 7239 section 6, as proxies write it to X-Forwarded-For too:
 * `192.0.2.1`, `192.0.2.1:50001`, `[2001:db8::1]`, `[2001:db8::1]:443`, `_gazonk:_port`, each also in quotes. IPv6 may
 * lack the brackets if there is no port. Returns other texts as they are.
 */
export function addressOfNode(node: string): string {
  if (node.length > LONGEST_NODE) return node;
  const text = node.length > 1 && node.startsWith('"') && node.endsWith('"') ? node.slice(1, -1) : node;
  if (text.startsWith('[')) {
    const end = text.indexOf(']');
    const [address, port] = [text.slice(1, end), text.slice(end + 1)];
    return ipaddr.IPv6.isValid(address) && (port === '' || PORT.test(port)) ? address : node;
  }
  const colon = text.indexOf(':');
  // Several colons are IPv6 without brackets.
  if (colon === -1 || colon !== text.lastIndexOf(':')) return text;
  return PORT.test(text.slice(colon)) ? text.slice(0, colon) : node;
}

function readClient(node: string): string {
  const address = addressOfNode(node);
  if (OBFUSCATED.test(address)) return address;
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  const network = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
