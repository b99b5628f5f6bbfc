import { isIPv4 } from 'node:net';

/** Whether a host, an IPv6 address in brackets or not, is this machine itself (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3). */
export function isLoopback(host: string): boolean {
  return ['localhost', '::1', '[::1]'].includes(host) || (isIPv4(host) && host.startsWith('127.'));
}

/** Whether a name is this machine's own wherever it is looked up (RFC 6761 section 6.3). */
export function isLocalhostName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}
