import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is to be told when a connection closes: the exchanges on it that have not ended. */
const openExchanges = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `ended` once: when the answer is sent, or the client has gone. The response alone does not tell the latter of
 * pipelined requests whose turn to be answered has not come: Node closes no response that never had the connection.
 */
export function onEnded({ socket }: IncomingMessage, res: ServerResponse, ended: () => void): void {
  if (socket.destroyed) {
    ended();
    return;
  }
  let open = openExchanges.get(socket);
  if (open === undefined) {
    const exchanges = (open = new Set());
    openExchanges.set(socket, exchanges);
    socket.once('close', () => {
      for (const end of exchanges) end();
    });
  }
  const exchanges = open;
  const end = () => {
    if (exchanges.delete(end)) ended();
  };
  exchanges.add(end);
  res.once('close', end);
}
