import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** The port that a request came to: PORT, HTTP_PORT or HTTPS_PORT. */
export type Entrance = 'main' | 'http' | 'https';

const entrances = new WeakMap<Socket, Entrance>();

/** Records the port of a connection. Call it for every connection; for TLS, after the handshake. */
export function noteEntrance(socket: Socket, entrance: Entrance): void {
  entrances.set(socket, entrance);
}

export function entranceOf({ socket }: Pick<IncomingMessage, 'socket'>): Entrance {
  return entrances.get(socket) ?? 'main';
}

/** Whether the server name of the request's TLS connection is this host. False without TLS. */
export function isConnectionFor({ socket }: Pick<IncomingMessage, 'socket'>, host: string): boolean {
  const { servername } = socket as TLSSocket & { servername?: string | false | null };
  return typeof servername === 'string' && servername.toLowerCase() === host;
}
