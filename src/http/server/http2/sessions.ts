import { constants, performServerHandshake, type ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Express } from 'express';
import { ApiError } from '../../../lib/errors.js';
import type { PaceKeeper } from '../body-pace.js';
import { createHttp2Messages, type Http2Listener } from './messages.js';
import {
  createSessionGuard,
  LINGER_MS,
  type Exchange,
  type SessionGuard,
  type SessionTimeouts,
} from './session-guard.js';

export interface Http2Sessions {
  /** Returns the listener with which `app` answers requests over HTTP/2. */
  adopt: (app: Express) => Http2Listener;
  /** Takes over a connection that has agreed on `h2`. */
  accept: (socket: TLSSocket) => void;
  /** Lets clients know that they must not send further requests, waits at most `graceMs`, then closes all connections. */
  drain: (graceMs: number) => Promise<void>;
}

export interface Http2SessionsParts {
  answer: Http2Listener;
  /** Answers a request that does not reach the app. */
  refuse: (exchange: Exchange, error: ApiError) => void;
  pace: PaceKeeper;
  timeouts: SessionTimeouts & { checkMs: number };
  /** Whether the event loop was busy since the last call. */
  wasBusy?: () => boolean;
}

/**
 * How many requests of one connection are answered at once. Further ones wait until a response is complete and the
 * client has read it, so a connection holds at most as many responses.
 */
const MAX_UNDER_WAY = 16;
/** How many requests of one connection begin in one turn of the event loop: other connections get their turn. */
const MAX_BEGUN = 2;
/** Requests of one connection at once, including those that wait. RFC 9113 section 6.5.2 recommends no fewer. */
const MAX_OPEN = 100;
/** A flood of small frames lasts at most as long, milliseconds. */
const MAX_CHECK_MS = 200;
/** A connection without traffic is checked at one of this many checks. */
const QUIET_CHECKS = 10;
/** From this share of the event loop's time on, each connection is checked each time. */
const BUSY = 0.2;
/** Larger headers get 431, up to the limit of nghttp2 (64 KiB), which resets the stream. Bytes. */
const MAX_HEADERS_BYTES = 16 * 1024;

const OPTIONS = {
  settings: { maxConcurrentStreams: MAX_OPEN, maxHeaderListSize: 64 * 1024, enablePush: false },
  // The size counts, as in HTTP/1.1.
  maxHeaderListPairs: 2000,
};

export type { Http2Listener };

interface Connection {
  session: ServerHttp2Session;
  socket: TLSSocket;
  guard: SessionGuard;
  underWay: number;
  /** In order of arrival. */
  waiting: Exchange[];
  turn: NodeJS.Immediate | undefined;
  /** The check at which it is checked without traffic. */
  turnOfCheck: number;
}

/** Serves HTTP/2 (RFC 9113) with the limits that HTTP/1.1 has in ../server.ts and ../connections.ts. */
export function createHttp2Sessions(parts: Http2SessionsParts): Http2Sessions {
  const { answer, refuse, pace, timeouts, wasBusy = createBusyWatch() } = parts;
  const messages = createHttp2Messages();
  const { Request, Response } = messages.classes;
  const connections = new Set<Connection>();
  let isDraining = false;
  let accepted = 0;
  let check = 0;
  /** Most connections are idle, and a check of each would cost thousands of them a part of a processor. */
  const checks = setInterval(
    () => {
      // A flood keeps the process busy, and may come from any connection.
      const checksEach = wasBusy();
      check = (check + 1) % QUIET_CHECKS;
      for (const { guard, turnOfCheck } of connections)
        if (checksEach || turnOfCheck === check || !guard.isQuiet()) guard.check();
    },
    Math.min(timeouts.checkMs, MAX_CHECK_MS),
  ).unref();

  function begin(connection: Connection, exchange: Exchange): void {
    const { req, res } = exchange;
    connection.underWay += 1;
    res.once('close', () => {
      connection.underWay -= 1;
      takeTurn(connection);
    });
    const fault = faultOf(exchange);
    if (fault === undefined) answer(req, res);
    else refuse(exchange, fault);
  }

  function takeTurn(connection: Connection): void {
    connection.turn ??= setImmediate(() => {
      connection.turn = undefined;
      for (let begun = 0; begun < MAX_BEGUN && connection.underWay < MAX_UNDER_WAY;) {
        const next = connection.waiting.shift();
        if (next === undefined) {
          endIfIdle(connection);
          return;
        }
        if (isGone(next)) continue;
        begin(connection, next);
        begun += 1;
      }
      if (connection.underWay < MAX_UNDER_WAY) takeTurn(connection);
    });
  }

  function receive(connection: Connection, exchange: Exchange): void {
    const { req, res } = exchange;
    const { stream } = req;
    connection.guard.began(exchange);
    pace.watch(req, () => endSlowBody(exchange));
    stream.once('close', () => connection.guard.ended(exchange));
    // The rest of a body that was not read to its end is of no use (RFC 9113 section 8.1).
    stream.once('finish', () => {
      if (!req.isComplete()) stream.close(constants.NGHTTP2_NO_ERROR);
    });
    // Node throws if the client has already reset the stream.
    if (req.headers.expect?.toLowerCase() === '100-continue' && !isGone(exchange)) res.writeContinue();
    connection.waiting.push(exchange);
    takeTurn(connection);
  }

  function endSlowBody(exchange: Exchange): void {
    const { req, res } = exchange;
    if (res.writableEnded) return;
    if (res.headersSent) {
      req.stream.close(constants.NGHTTP2_CANCEL);
      return;
    }
    refuse(exchange, new ApiError('request_timeout', 'The request was sent too slowly.'));
    // Otherwise a reader would take the end of the stream for the end of the body.
    req.destroy(new Error('aborted'));
  }

  /** A client that is asleep does not close its connection. */
  function endIfIdle({ underWay, waiting, socket }: Connection): void {
    if (isDraining && underWay === 0 && waiting.length === 0)
      setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }

  return {
    adopt: messages.adopt,
    accept(socket) {
      const session = performServerHandshake(socket, OPTIONS);
      const guard = createSessionGuard(session, socket, timeouts);
      const connection: Connection = {
        ...{ session, socket, guard, underWay: 0, waiting: [], turn: undefined },
        turnOfCheck: (accepted += 1) % QUIET_CHECKS,
      };
      connections.add(connection);
      session.once('close', () => connections.delete(connection));
      // A client that does not keep to the protocol ends only its own connection.
      session.on('error', () => undefined);
      session.on('stream', (stream, headers, _flags, ...[rawHeaders]: string[][]) => {
        const req = new Request(stream, headers, rawHeaders ?? [], socket);
        receive(connection, { req, res: new Response(stream) });
      });
    },
    async drain(graceMs) {
      isDraining = true;
      const ended = Array.from(connections, async (connection) => {
        const { session } = connection;
        const closed = new Promise((resolve) => session.once('close', resolve));
        session.close();
        endIfIdle(connection);
        await closed;
      });
      const cut = setTimeout(() => {
        for (const { socket } of connections) socket.destroy();
      }, graceMs);
      await Promise.all(ended);
      clearTimeout(cut);
      clearInterval(checks);
    },
  };
}

function createBusyWatch(): () => boolean {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization > BUSY;
  };
}

/** Whether the request needs no answer: its client has left, or it was answered while it waited. */
function isGone({ req: { stream }, res }: Exchange): boolean {
  return stream.destroyed || stream.closed || res.writableEnded;
}

/** The fault for which HTTP/1.1's parser would reject the request. */
function faultOf({ req }: Exchange): ApiError | undefined {
  if (req.method === 'CONNECT') return new ApiError('invalid_request', 'The gateway is not a proxy.');
  // As lines of HTTP/1.1, with `: ` and a line break.
  const bytes = req.rawHeaders.reduce((sum, text) => sum + text.length + 2, 0);
  if (bytes <= MAX_HEADERS_BYTES) return undefined;
  return new ApiError('request_headers_too_large', 'The headers are larger than 16 KiB.');
}
