import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Express } from 'express';
import { createPaceKeeper, type BodyPace } from './body-pace.js';
import { sendOutsideApp } from '../answers/send-outside-app.js';
import { clientOf } from './client-address.js';
import { createConnections } from './connections.js';
import { noteEntrance, type Entrance } from './entrance.js';
import { gatewayUrlOf } from './gateway-url.js';
import { createMessages } from './messages.js';
import { createUnparsed, REQUEST_TIMEOUT, type HeadersOfClient } from './refuse-unparsed.js';
import { createHttp2Sessions, type Http2Listener } from './http2/sessions.js';
import { createStagedClose, READ_ON, type ReadOnBounds } from './staged-close.js';
import { createStarting } from './starting.js';
import { authorityOf, originFormOf } from './request-target.js';
import { createTlsServer, type ContextOf } from './tls-server.js';

export interface GatewayServer {
  /**
   * Sets the app that answers from now on. Until then, requests wait, get 503 with the rate limit headers of
   * `startingHeaders` if that takes long, and no TLS is accepted. Requests that Node's parser rejects get the headers that `rateHeaders`
   * returns for their client.
   */
  handle: (app: Express, rateHeaders: HeadersOfClient, contextOf?: ContextOf) => void;
  /** Call at most once per entrance. Resolves to the port. @throws Error (EADDRINUSE, EACCES, …) */
  listen: (port: number, host: string, entrance?: Entrance) => Promise<number>;
  /**
   * Stops accepting connections, waits at most `graceMs` for the requests under way, then closes the remaining
   * connections.
   */
  drain: (graceMs: number) => Promise<void>;
}

/** How long a client may take, milliseconds. */
export interface ClientTimeouts {
  headersMs: number;
  body: BodyPace;
  /**
   * To read some part of a response, however small. A connection closes only if two checks in a row find no progress.
   */
  unreadMs: number;
  /** To send the rest of a request that is answered. */
  readOn: ReadOnBounds;
  /** To wait for the start of the gateway. */
  startMs: number;
  /** The interval between checks. Node's default is 30 seconds. */
  checkMs: number;
}

/**
 * A phone at the edge of its network sends some 10 kB/s. At the slowest allowed pace, an archive of 12 MiB has 50
 * minutes.
 */
const TIMEOUTS: ClientTimeouts = {
  headersMs: 10_000,
  body: { graceMs: 20_000, bytesPerSecond: 4096 },
  unreadMs: 30_000,
  readOn: READ_ON,
  // A start beside a running database takes a second or two.
  startMs: 10_000,
  checkMs: 1000,
};

/** How long a connection without a request stays open. */
const KEEP_ALIVE_MS = 65_000;

/**
 * Creates the HTTP servers. They are bound before anything else is ready, so that a port conflict shows before the
 * gateway touches a database.
 * @param offersHttp2 whether HTTPS offers HTTP/2 beside HTTP/1.1
 */
export function createGatewayServer(
  startingHeaders: HeadersOfClient,
  changedTimeouts: Partial<ClientTimeouts> = {},
  publicUrl?: string,
  offersHttp2 = true,
): GatewayServer {
  const timeouts = { ...TIMEOUTS, ...changedTimeouts };
  let rateHeaders = startingHeaders;
  const starting = createStarting(
    (req) => startingHeaders(clientOf(req.socket.remoteAddress)),
    timeouts.startMs,
    publicUrl,
  );
  let { listener }: { listener: RequestListener } = starting;
  // No TLS is accepted before `handle` is called.
  let http2Listener: Http2Listener = () => undefined;
  const messages = createMessages();
  const options = {
    ...messages.classes,
    headersTimeout: timeouts.headersMs,
    // A large body may take long if it keeps arriving: see body-pace.ts.
    requestTimeout: 0,
    handshakeTimeout: timeouts.headersMs,
    connectionsCheckingInterval: timeouts.checkMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // require-host.ts checks the header, so that the response is an Error object.
    requireHostHeader: false,
  };
  let contextOf: ContextOf = () => Promise.resolve(undefined);
  const drains: ((graceMs: number) => Promise<void>)[] = [];
  const closing = createStagedClose(timeouts.readOn, (socket) => connections.end(socket));
  const unparsed = createUnparsed((client) => rateHeaders(client), closing.close, publicUrl);
  const pace = createPaceKeeper(timeouts.body, timeouts.checkMs);
  const http2 = createHttp2Sessions({
    pace,
    timeouts: { ...timeouts, idleMs: KEEP_ALIVE_MS },
    answer(req, res) {
      noteEntrance(req.socket, 'https');
      req.url = originFormOf(req.url);
      http2Listener(req, res);
    },
    refuse: ({ req, res }, error) =>
      sendOutsideApp(
        res,
        error,
        rateHeaders(clientOf(req.socket.remoteAddress)),
        gatewayUrlOf(req, 'https', publicUrl),
      ),
  });
  const connections = createConnections((req, res) => {
    const target = req.url ?? '/';
    const authority = authorityOf(target);
    // The raw headers still hold every Host header that was sent: see require-host.ts.
    if (authority !== undefined) req.headers.host = authority;
    req.url = originFormOf(target);
    listener(req, res);
  });
  const receive: RequestListener = (req, res) => {
    pace.watch(req, () =>
      unparsed.refuse(Object.assign(new Error('a slow body'), { code: REQUEST_TIMEOUT }), req.socket),
    );
    closing.adopt(req);
    res.once('prefinish', () => closing.readRest(req));
    if (connections.receive(req, res)) unparsed.note(req, res);
  };

  /** Called when nothing was read from or written to a connection for `unreadMs`. */
  function onIdle(socket: Socket): void {
    if (connections.isAtWork(socket)) socket.setTimeout(timeouts.unreadMs);
    else socket.destroy();
  }

  /**
   * Rejects CONNECT: the gateway is not a proxy. Without a listener, Node closes the connection without a response.
   * With a listener, Node stops handling the connection's errors and timeouts, so this function does: an unhandled
   * error would end the process, and an idle connection would stay open.
   */
  function refuseConnect(socket: Socket): void {
    socket.on('error', () => undefined);
    socket.on('timeout', () => onIdle(socket));
    unparsed.refuse(new Error('CONNECT'), socket);
  }

  function open(entrance: Entrance): Server {
    const { server, closeHandshakes } =
      entrance === 'https'
        ? createTlsServer(
            options,
            (serverName, address) => contextOf(serverName, address),
            receive,
            offersHttp2 ? http2.accept : undefined,
          )
        : { server: createServer(options, receive), closeHandshakes: () => undefined };
    server.on(entrance === 'https' ? 'secureConnection' : 'connection', (socket: Socket) =>
      noteEntrance(socket, entrance),
    );
    // An unknown expectation may be ignored (RFC 9110 section 10.1.1); Node would answer with an empty 417.
    server.on('checkExpectation', receive);
    server.setTimeout(timeouts.unreadMs, onIdle);
    server.on('clientError', unparsed.refuse);
    server.on('connect', (_req, socket) => refuseConnect(socket as Socket));
    drains.push((graceMs) => drainServer(server, closeHandshakes, graceMs));
    return server;
  }

  return {
    handle: (app, headersOfClient, contextOfServer) => {
      http2Listener = http2.adopt(app);
      messages.adopt(app);
      listener = app;
      rateHeaders = headersOfClient;
      contextOf = contextOfServer ?? contextOf;
      starting.begin(app);
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
      await Promise.all([http2.drain(graceMs), ...drains.map((drain) => drain(graceMs))]);
      pace.stop();
    },
  };
}

async function drainServer(server: Server, closeHandshakes: () => void, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  closeHandshakes();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  // Closes connections that become idle during the wait.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
}
