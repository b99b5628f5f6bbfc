import { constants } from 'node:crypto';
import type { RequestListener, ServerOptions } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContext, TLSSocket } from 'node:tls';

/**
 * Returns the TLS context for a server name (RFC 6066 section 3), or undefined to reject the connection.
 * @param address the peer's
 */
export type ContextOf = (serverName: string, address: string) => Promise<SecureContext | undefined>;

/**
 * The accepted cipher suites: only those with forward secrecy and AEAD. The first three are the suites of TLS 1.3.
 * docs/security.md lists them.
 */
export const SUITES: readonly string[] = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

export interface TlsServer {
  server: Server;
  /** Closes connections whose TLS handshake is not complete. No request of theirs is under way. */
  closeHandshakes: () => void;
}

/**
 * Creates an HTTPS server whose only certificates are those of `contextOf`. A client that sends no server name, or a
 * name without a certificate, gets the alert `handshake_failure`: Node sends no `unrecognized_name`, and for an error
 * no alert at all.
 *
 * TLS sessions are never resumed: a resumption does not ask for a certificate, and OpenSSL does not report the server
 * name of a resumed TLS 1.2 session. So every connection has presented the certificate of the host it is for.
 */
export function createTlsServer(
  options: ServerOptions & { handshakeTimeout: number },
  contextOf: ContextOf,
  answer: RequestListener,
  acceptHttp2: ((socket: TLSSocket) => void) | undefined,
): TlsServer {
  const handshaking = new Map<string, Socket>();
  const server = createServer(
    {
      ...options,
      ...(acceptHttp2 && { ALPNProtocols: ['h2', 'http/1.1'] }),
      // Otherwise NODE_OPTIONS could allow older versions.
      minVersion: 'TLSv1.2',
      ciphers: SUITES.join(':'),
      secureOptions: constants.SSL_OP_NO_TICKET,
      // Node calls this as a method of the socket, which its documentation does not say.
      SNICallback(this: TLSSocket, serverName, done) {
        const { remoteAddress } = this;
        // The peer is gone.
        if (remoteAddress === undefined) done(null);
        else
          void contextOf(serverName, remoteAddress)
            .catch(() => undefined)
            .then((context) => done(null, context));
      },
    },
    answer,
  );
  if (acceptHttp2 !== undefined) dispatchByProtocol(server, acceptHttp2);
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    handshaking.set(peer, socket);
    socket.once('close', () => handshaking.delete(peer));
  });
  // This event passes another object for the same connection, so the peer's address is the key.
  server.on('secureConnection', (socket) => handshaking.delete(peerOf(socket)));
  return {
    server,
    closeHandshakes: () => {
      for (const socket of handshaking.values()) socket.destroy();
    },
  };
}

/** Connections that have agreed on HTTP/2 (RFC 7301) do not reach Node's HTTP/1.1. */
function dispatchByProtocol(server: Server, acceptHttp2: (socket: TLSSocket) => void): void {
  const acceptors = server.listeners('secureConnection') as ((socket: TLSSocket) => void)[];
  server.removeAllListeners('secureConnection');
  server.on('secureConnection', (socket) => {
    if (socket.alpnProtocol === 'h2') acceptHttp2(socket);
    else for (const accept of acceptors) accept.call(server, socket);
  });
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress ?? ''} ${remotePort ?? ''}`;
}
