import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../lib/errors.js';
import { clientOf } from './client-address.js';
import { commonHeaders } from '../answers/common-headers.js';
import type { RateLimitHeaders } from '../answers/rate-limit-headers.js';
import { errorBody } from '../answers/render-error.js';

/** Returns the rate limit headers of an unauthenticated client, for a response that no step of the app sends. */
export type HeadersOfClient = (client: string) => RateLimitHeaders;

export interface Unparsed {
  /**
   * Records a request. Call it for every request, so that a client cannot take the error of a later request for its
   * response.
   */
  note: (req: IncomingMessage, res: ServerResponse) => void;
  /** Sends the error for a request that Node's parser rejected, and closes the connection. */
  refuse: (cause: NodeJS.ErrnoException, socket: Socket) => void;
}

/** Node's error code. */
export const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';
/**
 * Answers requests that Node's parser rejects. They never reach the app, so the gateway writes the same Error object to
 * the bare socket.
 * @param close ends a connection after what was written to it
 */
export function createUnparsed(
  rateHeaders: HeadersOfClient,
  close: (socket: Socket) => void,
  publicUrl?: string,
): Unparsed {
  /**
   * The latest request of each connection. Responses go out in the order of requests, so it is the last to be answered.
   */
  const latest = new WeakMap<Socket, { req: IncomingMessage; res: ServerResponse }>();
  const refused = new WeakSet<Socket>();

  function answer(socket: Socket, error: ApiError): void {
    if (!socket.writable) return;
    socket.write(render(error, rateHeaders(clientOf(socket.remoteAddress)), publicUrl));
    close(socket);
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
      // An earlier request is complete and being answered. The error of the bytes after it follows its response.
      else if (before.req.complete) before.res.once('finish', () => answer(socket, error));
      // The request's own body is invalid: this is the response to the request, unless a response has begun.
      else if (!before.res.headersSent && before.res.socket === socket) answer(socket, error);
      else socket.destroy();
    },
  };
}

function render(error: ApiError, rateHeaders: RateLimitHeaders, publicUrl: string | undefined): string {
  const requestId = randomUUID();
  const body = errorBody(error, { requestId, gatewayUrl: publicUrl });
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
