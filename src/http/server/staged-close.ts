import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** What the gateway reads of a request that it has answered already. */
export interface ReadOnBounds {
  bytes: number;
  /** In total, milliseconds. */
  totalMs: number;
  /** Without a byte from the client while the connection closes, milliseconds. */
  idleMs: number;
}

/** More than the largest archive of a site, 12 MiB. A client that sends 600 kB a second ends in time. */
export const READ_ON: ReadOnBounds = { bytes: 16 * 1024 * 1024, totalMs: 30_000, idleMs: 5_000 };

export interface StagedClose {
  /** Makes Node close this connection in stages. Call it with each request. */
  adopt: (req: IncomingMessage) => void;
  /**
   * Closes a connection after its last response (RFC 9112 section 9.6): sends what was written and says that no more
   * follows, reads on within the bounds and discards what comes, then closes. If the gateway closed at once with unread
   * bytes from the client, the operating system would reset the connection, and the client could lose the response.
   */
  close: (socket: Socket) => void;
  /**
   * Reads the rest of a request within the bounds; then the connection can carry the next request. Call it when the
   * response is complete, before it is sent: later, Node discards the rest itself, without a bound.
   */
  readRest: (req: IncomingMessage) => void;
}

/** @param onClose called when a connection begins to close: none of its further requests is answered */
export function createStagedClose(bounds: ReadOnBounds, onClose: (socket: Socket) => void): StagedClose {
  /** The latest request of each connection. */
  const latest = new WeakMap<Socket, IncomingMessage>();
  const closing = new WeakSet<Socket>();

  /** Ends the connection when it is beyond the bounds. Returns the function to call for each part that was read. */
  function watch(socket: Socket): { read: () => void; stop: () => void } {
    const last = socket.bytesRead + bounds.bytes;
    const cut = setTimeout(() => socket.destroy(), bounds.totalMs).unref();
    const stop = () => {
      clearTimeout(cut);
      // The connection may carry many more requests.
      socket.off('close', stop);
    };
    socket.once('close', stop);
    const read = () => {
      if (socket.bytesRead > last) socket.destroy();
    };
    return { read, stop };
  }

  function close(socket: Socket): void {
    if (socket.destroyed || closing.has(socket)) return;
    closing.add(socket);
    onClose(socket);
    const { read } = watch(socket);
    socket.end();
    socket.setTimeout(bounds.idleMs, () => socket.destroy());
    // The reader of the body may have paused it, and so the connection.
    latest.get(socket)?.resume();
    socket.resume();
    // Once the connection flows again, which Node's parser sees to, the parser gets no more of what comes.
    setImmediate(() => {
      socket.removeAllListeners('data');
      socket.on('data', read);
    });
  }

  return {
    close,
    adopt(req) {
      const { socket } = req;
      const isKnown = latest.has(socket);
      latest.set(socket, req);
      if (isKnown) return;
      // Node calls this after the last response of a connection.
      socket.destroySoon = () => close(socket);
    },
    readRest(req) {
      const { socket } = req;
      if (req.complete || socket.destroyed || closing.has(socket)) return;
      const { read, stop } = watch(socket);
      req.on('data', read).once('end', () => {
        req.off('data', read);
        stop();
      });
      // At once, so that Node takes the body for one that is read.
      req.read(0);
      req.resume();
    },
  };
}
