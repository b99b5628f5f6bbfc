import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../lib/errors.js';
import { clientOf } from './client-address.js';
import { commonHeaders } from '../answers/common-headers.js';
import type { RateLimitHeaders } from '../answers/rate-limit-headers.js';
import { errorBody } from '../answers/render-error.js';

/** How a client without a key stands, for an answer that no step of the app gives. */
export type HeadersOfClient = (client: string) => RateLimitHeaders;

export interface Unparsed {
  /** To be told of every request, so that a refusal cannot be taken for its answer. */
  note: (req: IncomingMessage, res: ServerResponse) => void;
  /** Answers what Node's parser refused, and ends the connection. */
  refuse: (cause: NodeJS.ErrnoException, socket: Socket) => void;
}

/** As Node calls it. */
export const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
/** How long a client may take to read a refusal before its connection is cut. */
const LINGER_MS = 2000;

/** What Node's parser refuses never reaches the app: it is said in the same words here, on the bare socket. */
export function createUnparsed(rateHeaders: HeadersOfClient): Unparsed {
  /** The latest request of a connection; answers go out in the order of requests, so it is the last to be answered. */
  const latest = new WeakMap<Socket, { req: IncomingMessage; res: ServerResponse }>();
  const refused = new WeakSet<Socket>();

  function answer(socket: Socket, error: ApiError): void {
    if (!socket.writable) return;
    socket.end(render(error, rateHeaders(clientOf(socket.remoteAddress))));
    // Closing at once, with bytes of the client unread, would make the system throw the answer away.
    socket.setTimeout(LINGER_MS, () => socket.destroy());
  }

  return {
    note: (req, res) => void latest.set(req.socket, { req, res }),
    refuse(cause, socket) {
      if (refused.has(socket)) return;
      if (cause.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy();
        return;
      }
      refused.add(socket);
      const error = clientErrorOf(cause.code);
      const before = latest.get(socket);
      if (before === undefined || before.res.writableFinished) answer(socket, error);
      // A request was whole and is being answered; what came after it is refused after it.
      else if (before.req.complete) before.res.once('finish', () => answer(socket, error));
      // The body itself is at fault, and this is the answer to its request, unless one has begun.
      else if (!before.res.headersSent && before.res.socket === socket) answer(socket, error);
      else socket.destroy();
    },
  };
}

function render(error: ApiError, rateHeaders: RateLimitHeaders): string {
  const requestId = randomUUID();
  const body = errorBody(error, requestId);
  const headers = {
    ...commonHeaders(requestId),
    ...rateHeaders,
    'Cache-Control': 'no-store',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`, ...lines, '', body].join('\r\n');
}

function clientErrorOf(code: string | undefined): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        'request_headers_too_large',
        'The request line and headers are larger than 16 KiB.',
      );
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new ApiError('payload_too_large', 'The chunk extensions of the body are larger than 16 KiB.');
    case REQUEST_TIMEOUT:
      return new ApiError('request_timeout', 'The request was sent too slowly.');
    default:
      return new ApiError('invalid_request', 'The request is not valid HTTP/1.1.');
  }
}
