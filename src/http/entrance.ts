import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** Which port a request came to: PORT, HTTP_PORT or HTTPS_PORT. */
export type Entrance = 'main' | 'http' | 'https';

const entrances = new WeakMap<Socket, Entrance>();
const namesOfResumed = new WeakMap<Socket, string>();

/** To be told of every connection: of one with TLS, once that is agreed. */
export function noteEntrance(socket: Socket, entrance: Entrance): void {
  entrances.set(socket, entrance);
}

export function entranceOf({ socket }: Pick<IncomingMessage, 'socket'>): Entrance {
  return entrances.get(socket) ?? 'main';
}

/**
 * Whether a request's connection was made for this host. OpenSSL does not tell the server name of a TLS 1.2 session that
 * is resumed: such a connection is for the first host that is asked for on it.
 */
export function isConnectionFor({ socket }: Pick<IncomingMessage, 'socket'>, host: string): boolean {
  const { servername } = socket as TLSSocket & { servername?: string | false | null };
  if (typeof servername === 'string') return servername.toLowerCase() === host;
  const first = namesOfResumed.get(socket);
  if (first === undefined) namesOfResumed.set(socket, host);
  return first === undefined || first === host;
}
