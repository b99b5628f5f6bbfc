import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** Which port a request came to: PORT, HTTP_PORT or HTTPS_PORT. */
export type Entrance = 'main' | 'http' | 'https';

const entrances = new WeakMap<Socket, Entrance>();

/** To be told of every connection: of one with TLS, once that is agreed. */
export function noteEntrance(socket: Socket, entrance: Entrance): void {
  entrances.set(socket, entrance);
}

export function entranceOf({ socket }: Pick<IncomingMessage, 'socket'>): Entrance {
  return entrances.get(socket) ?? 'main';
}

/** Whether a request's connection was made for this host. */
export function isConnectionFor({ socket }: Pick<IncomingMessage, 'socket'>, host: string): boolean {
  const { servername } = socket as TLSSocket & { servername?: string | false | null };
  return typeof servername === 'string' && servername.toLowerCase() === host;
}
