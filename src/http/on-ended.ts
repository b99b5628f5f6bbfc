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

/**
 * Calls `handedOver` once: when the whole answer is with the connection, whether the client reads it or not, or when the
 * client has gone. From then on the request is no work.
 */
export function onHandedOver(req: IncomingMessage, res: ServerResponse, handedOver: () => void): void {
  if (res.writableEnded) {
    handedOver();
    return;
  }
  let isOver = false;
  const over = () => {
    if (isOver) return;
    isOver = true;
    handedOver();
  };
  res.once('prefinish', over);
  onEnded(req, res, over);
}
