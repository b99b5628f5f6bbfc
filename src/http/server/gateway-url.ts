import type { IncomingMessage } from 'node:http';
import { hostOfHeader, isHostName } from '../../lib/host-name.js';
import { isLocalhostName, isLoopback } from '../../lib/loopback.js';

/**
 * The gateway's address as the client of this request knows it, without a slash at the end: PUBLIC_URL, or else the
 * request's own scheme and Host if that names this machine. A Host header is the client's claim, and any other could
 * lead a reader of the response to a server of the sender's choice. Otherwise undefined.
 * @param protocol as the client sent the request; anything but `https` counts as HTTP
 */
export function gatewayUrlOf(
  { headers: { host = '' } }: Pick<IncomingMessage, 'headers'>,
  protocol: string,
  publicUrl: string | undefined,
): string | undefined {
  if (publicUrl !== undefined) return publicUrl;
  const name = hostOfHeader(host) ?? '';
  if (!isLoopback(name) && !(isHostName(name) && isLocalhostName(name))) return undefined;
  return `${protocol === 'https' ? 'https' : 'http'}://${host.toLowerCase()}`;
}
