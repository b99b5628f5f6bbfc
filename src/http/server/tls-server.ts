import { constants } from 'node:crypto';
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';

/** What a connection for this server name (RFC 6066 section 3) is secured with; undefined: it is refused. */
export type ContextOf = (serverName: string) => Promise<SecureContext | undefined>;

export interface TlsServer {
  server: Server;
  /** Ends connections on which TLS is not agreed yet: no request of theirs is under way. */
  closeHandshakes: () => void;
}

/**
 * An HTTPS server that has no certificate but those of `contextOf`. Whoever names no server, or one that has none, gets
 * the alert `handshake_failure`: Node sends no `unrecognized_name`, and for an error no alert at all.
 *
 * No session is resumed: resumption asks nobody for a certificate, and of a TLS 1.2 session that is resumed OpenSSL does
 * not tell the server name. So every connection has shown the certificate of the name that it is for.
 */
export function createTlsServer(
  options: ServerOptions & { handshakeTimeout: number },
  contextOf: ContextOf,
  answer: RequestListener,
): TlsServer {
  const handshaking = new Map<string, Socket>();
  const server = createServer(
    {
      ...options,
      secureOptions: constants.SSL_OP_NO_TICKET,
      SNICallback: (serverName, done) =>
        void contextOf(serverName)
          .catch(() => undefined)
          .then((context) => done(null, context)),
    },
    answer,
  );
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    handshaking.set(peer, socket);
    socket.once('close', () => handshaking.delete(peer));
  });
  // Another object for the same connection.
  server.on('secureConnection', (socket) => handshaking.delete(peerOf(socket)));
  return {
    server,
    closeHandshakes: () => {
      for (const socket of handshaking.values()) socket.destroy();
    },
  };
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''}`;
}
