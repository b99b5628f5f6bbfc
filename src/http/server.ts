import { randomUUID } from 'node:crypto';
import {
  createServer,
  STATUS_CODES,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ApiError } from '../lib/errors.js';
import { errorBody } from './render-error.js';

export interface GatewayServer {
  server: Server;
  /** What answers from now on; until it is set, 503. */
  handle: (listener: RequestListener) => void;
  /** Resolves to the port. @throws Error (EADDRINUSE, EACCES, …) */
  listen: (port: number, host: string) => Promise<number>;
  /** Stops accepting and waits for what is under way, at most `graceMs`; then cuts what is left. */
  drain: (graceMs: number) => Promise<void>;
}

/** How long a client may take to send its headers, and its whole request, milliseconds. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;

/** The HTTP server, bound before anything else is ready: a taken port is known before a database is touched. */
export function createGatewayServer(): GatewayServer {
  let listener: RequestListener = answerStarting;
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: 65_000,
    // Checked by ourselves, so that the answer is an Error object.
    requireHostHeader: false,
  });
  const answer: RequestListener = (req, res) => listener(req, res);
  server.on('request', answer);
  // An expectation we do not know may be ignored (RFC 9110 section 10.1.1); Node would answer an empty 417.
  server.on('checkExpectation', answer);
  server.on('clientError', answerClientError);

  return {
    server,
    handle: (next) => {
      listener = next;
    },
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve((server.address() as AddressInfo).port);
        });
      }),
    drain: async (graceMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      // Connections that fall idle while we wait.
      const sweep = setInterval(() => server.closeIdleConnections(), 50);
      await closed;
      clearTimeout(cut);
      clearInterval(sweep);
    },
  };
}

function answerStarting(req: { url?: string | undefined }, res: ServerResponse): void {
  const live = req.url === '/health/live';
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Cache-Control', 'no-store');
  if (live) {
    res.end('{"status":"live"}');
    return;
  }
  const error = new ApiError('service_unavailable', 'The gateway is starting.', { retryAfterSeconds: 2 });
  res.statusCode = error.status;
  res.setHeader('Retry-After', 2);
  res.end(errorBody(error, randomUUID()));
}

/** What Node's parser refuses never reaches the app: said in the same words, on the bare socket. */
function answerClientError(cause: NodeJS.ErrnoException, socket: Socket): void {
  if (cause.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const error = clientErrorOf(cause.code);
  const requestId = randomUUID();
  const body = errorBody(error, requestId);
  socket.end(
    [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Cache-Control: no-store',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

function clientErrorOf(code: string | undefined): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        'request_headers_too_large',
        'The request line and headers are larger than 16 KiB.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('request_timeout', 'The request was not sent in time.');
    default:
      return new ApiError('invalid_request', 'The request is not valid HTTP/1.1.');
  }
}
