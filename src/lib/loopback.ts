import { isIPv4 } from 'node:net';

/**
 * Whether a host is this machine itself (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3). Accepts an IPv6 address
 * with or without brackets.
 */
export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || (isIPv4(host) && host.startsWith('127.'));
}

/** Whether a name resolves to this machine on every machine (RFC 6761 section 6.3). */
export function isLocalhostName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}
