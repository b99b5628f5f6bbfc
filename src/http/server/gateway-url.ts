import type { IncomingMessage } from 'node:http';
import { hostOfHeader } from '../../lib/host-name.js';

/** The longest name, brackets or a trailing dot, and a port. */
const LONGEST_HOST = 262;

/**
 * The gateway's address as the client of this request knows it, without a slash at the end: PUBLIC_URL, or else the
 * request's own scheme and Host. Undefined if there is neither. A Host header is the client's claim, so use the result
 * only in the response to that client.
 * @param protocol as the client sent the request; anything but `https` counts as HTTP
 */
export function gatewayUrlOf(
  { headers: { host = '' } }: Pick<IncomingMessage, 'headers'>,
  protocol: string,
  publicUrl: string | undefined,
): string | undefined {
  if (publicUrl !== undefined) return publicUrl;
  const isUsable = host.length <= LONGEST_HOST && Boolean(hostOfHeader(host));
  return isUsable ? `${protocol === 'https' ? 'https' : 'http'}://${host.toLowerCase()}` : undefined;
}
