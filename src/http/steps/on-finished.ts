import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { once } from '../../lib/once.js';

/** For each connection, the callbacks of its unfinished requests. They run when the connection closes. */
const openRequests = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls `ended` once: when the response is sent, or the client has gone. The response's `close` event is not enough for
 * pipelined requests that still wait: Node closes no response that never had the connection.
 */
export function onFinished({ socket }: IncomingMessage, res: ServerResponse, ended: () => void): void {
  if (socket.destroyed) {
    ended();
    return;
  }
  let open = openRequests.get(socket);
  if (open === undefined) {
    const requests = (open = new Set());
    openRequests.set(socket, requests);
    socket.once('close', () => {
      for (const end of requests) end();
    });
  }
  const requests = open;
  const end = () => {
    if (requests.delete(end)) ended();
  };
  requests.add(end);
  res.once('close', end);
}

/**
 * Calls `handedOver` once: when the whole response is handed to the connection, whether the client reads it or not, or
 * when the client has gone. From then on the request needs no more work.
 */
export function onHandedOver(req: IncomingMessage, res: ServerResponse, handedOver: () => void): void {
  if (res.writableEnded) {
    handedOver();
    return;
  }
  const over = once(handedOver);
  res.once('prefinish', over);
  onFinished(req, res, over);
}
