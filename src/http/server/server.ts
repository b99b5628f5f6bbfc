import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import { serviceUnavailable } from '../../lib/errors.js';
import { createPaceKeeper, type BodyPace } from './body-pace.js';
import { clientOf } from './client-address.js';
import { commonHeaders } from '../answers/common-headers.js';
import { createConnections } from './connections.js';
import { noteEntrance, type Entrance } from './entrance.js';
import { createMessages } from './messages.js';
import type { RateLimitHeaders } from '../answers/rate-limit-headers.js';
import { createUnparsed, REQUEST_TIMEOUT, type HeadersOfClient } from './refuse-unparsed.js';
import { errorBody } from '../answers/render-error.js';
import { authorityOf, originFormOf } from './request-target.js';
import { createTlsServer, type ContextOf } from './tls-server.js';

export interface GatewayServer {
  /**
   * What answers from now on; until it is set, 503 with the rate limit headers of `startingHeaders`, and no TLS. What
   * Node refuses before it is a request gets those that `rateHeaders` gives for its client.
   */
  handle: (app: Express, rateHeaders: HeadersOfClient, contextOf?: ContextOf) => void;
  /** Each entrance at most once. Resolves to the port. @throws Error (EADDRINUSE, EACCES, …) */
  listen: (port: number, host: string, entrance?: Entrance) => Promise<number>;
  /** Stops accepting and waits for what is under way, at most `graceMs`; then cuts what is left. */
  drain: (graceMs: number) => Promise<void>;
}

/** How long a client may take, milliseconds. */
export interface ClientTimeouts {
  headersMs: number;
  body: BodyPace;
  /** To take something of an answer, however little: it is looked at twice before a connection is cut. */
  unreadMs: number;
  /** How often it is looked at: left to itself, Node does so every half a minute. */
  checkMs: number;
}

/** A telephone at the edge of its network sends some 10 kB/s; an archive of 12 MiB has 50 minutes. */
const TIMEOUTS: ClientTimeouts = {
  headersMs: 10_000,
  body: { graceMs: 20_000, bytesPerSecond: 4096 },
  unreadMs: 30_000,
  checkMs: 1000,
};

/** The HTTP servers, bound before anything else is ready: a taken port is known before a database is touched. */
export function createGatewayServer(
  startingHeaders: HeadersOfClient,
  timeouts: ClientTimeouts = TIMEOUTS,
): GatewayServer {
  let rateHeaders = startingHeaders;
  let listener: RequestListener = (req, res) =>
    answerStarting(req, res, rateHeaders(clientOf(req.socket.remoteAddress)));
  const messages = createMessages();
  const options = {
    ...messages.classes,
    headersTimeout: timeouts.headersMs,
    // A large body may take long, as long as it comes: see body-pace.ts.
    requestTimeout: 0,
    handshakeTimeout: timeouts.headersMs,
    connectionsCheckingInterval: timeouts.checkMs,
    keepAliveTimeout: 65_000,
    // Checked by ourselves (require-host.ts), so that the answer is an Error object.
    requireHostHeader: false,
  };
  let contextOf: ContextOf = () => Promise.resolve(undefined);
  const drains: ((graceMs: number) => Promise<void>)[] = [];
  const unparsed = createUnparsed((client) => rateHeaders(client));
  const pace = createPaceKeeper(timeouts.body, timeouts.checkMs, (socket) =>
    unparsed.refuse(Object.assign(new Error('a slow body'), { code: REQUEST_TIMEOUT }), socket),
  );
  const connections = createConnections((req, res) => {
    const target = req.url ?? '/';
    const authority = authorityOf(target);
    // How often it was sent is still told by the raw headers, see require-host.ts.
    if (authority !== undefined) req.headers.host = authority;
    req.url = originFormOf(target);
    listener(req, res);
  });
  const receive: RequestListener = (req, res) => {
    pace.watch(req);
    if (connections.receive(req, res)) unparsed.note(req, res);
  };

  /** Nothing was read or written for a while. */
  function onIdle(socket: Socket): void {
    if (connections.isAtWork(socket)) socket.setTimeout(timeouts.unreadMs);
    else socket.destroy();
  }

  /**
   * What we are not is a proxy. Without a listener Node closes the connection unanswered; with one it no longer looks after
   * it: an error that nobody listens to would end the process, and an idle connection would stay.
   */
  function refuseConnect(socket: Socket): void {
    socket.on('error', () => undefined);
    socket.on('timeout', () => onIdle(socket));
    unparsed.refuse(new Error('CONNECT'), socket);
  }

  function open(entrance: Entrance): Server {
    const { server, closeHandshakes } =
      entrance === 'https'
        ? createTlsServer(options, (serverName) => contextOf(serverName), receive)
        : { server: createServer(options, receive), closeHandshakes: () => undefined };
    server.on(entrance === 'https' ? 'secureConnection' : 'connection', (socket: Socket) =>
      noteEntrance(socket, entrance),
    );
    // An expectation we do not know may be ignored (RFC 9110 section 10.1.1); Node would answer an empty 417.
    server.on('checkExpectation', receive);
    server.setTimeout(timeouts.unreadMs, onIdle);
    server.on('clientError', unparsed.refuse);
    server.on('connect', (_req, socket) => refuseConnect(socket as Socket));
    drains.push((graceMs) => drainServer(server, closeHandshakes, graceMs));
    return server;
  }

  return {
    handle: (app, headersOfClient, contextOfServer) => {
      messages.adopt(app);
      listener = app;
      rateHeaders = headersOfClient;
      contextOf = contextOfServer ?? contextOf;
    },
    listen: (port, host, entrance = 'main') =>
      new Promise((resolve, reject) => {
        const server = open(entrance);
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    drain: async (graceMs) => {
      await Promise.all(drains.map((drain) => drain(graceMs)));
      pace.stop();
    },
  };
}

async function drainServer(server: Server, closeHandshakes: () => void, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  closeHandshakes();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  // Connections that fall idle while we wait.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
}

/** Alive, but with nothing to answer from yet. */
function answerStarting(req: IncomingMessage, res: ServerResponse, rateHeaders: RateLimitHeaders): void {
  const requestId = randomUUID();
  const headers = { ...commonHeaders(requestId), ...rateHeaders };
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Cache-Control', 'no-store');
  if (req.url === '/health/live') {
    res.end('{"status":"live"}');
    return;
  }
  const error = serviceUnavailable('The gateway is starting.');
  res.statusCode = error.status;
  res.setHeader('Retry-After', error.retryAfterSeconds ?? 1);
  res.end(errorBody(error, requestId));
}
