import { constants, type ServerHttp2Session } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Http2Request, Http2Response } from './messages.js';

export interface SessionTimeouts {
  /** For the first request, after the handshake. */
  headersMs: number;
  /** Without any request under way. */
  idleMs: number;
  /** For a client to read a part of a response. */
  unreadMs: number;
}

/** A request and its response, from the arrival of the headers to the end of the stream. */
export interface Exchange {
  req: Http2Request;
  res: Http2Response;
}

export interface SessionGuard {
  /** Call when a request arrives. */
  began: (exchange: Exchange) => void;
  /** Call when its stream has ended. */
  ended: (exchange: Exchange) => void;
  /** Ends what takes too long, and sessions with too much overhead. Call at regular intervals. */
  check: () => void;
  /** Whether no request is under way, and the client had sent nothing at the last check. */
  isQuiet: () => boolean;
}

/** How long a client may take to read why its connection ends, milliseconds. */
export const LINGER_MS = 2000;

/**
 * Units that a client may spend at once, and per second. A unit is a PING frame, a SETTINGS frame, or a request that it
 * cancels before the response is complete. Browsers cancel all requests of a page when a visitor leaves it.
 */
const UNITS = { burst: 200, perSecond: 20 };
/**
 * Bytes beyond those of requests that a client may send at once, and per second: frames that ask for nothing. A client
 * that reads a lot sends window updates for it, less than this part of what it reads.
 */
const OVERHEAD_BYTES = { burst: 256 * 1024, perSecond: 32 * 1024 };
const OVERHEAD_OF_READ = 1 / 64;
/** Bytes that a request may have beside the content of its body: headers, and frames around parts of the body. */
const REQUEST_BYTES = 16 * 1024;
const BODY_OVERHEAD = 1;

/**
 * Bounds the time and work of one HTTP/2 connection, beyond Node's own limits. A connection that exceeds a bound ends
 * with ENHANCE_YOUR_CALM (RFC 9113 section 7).
 */
export function createSessionGuard(
  session: ServerHttp2Session,
  socket: TLSSocket,
  timeouts: SessionTimeouts,
): SessionGuard {
  const open = new Set<Exchange>();
  const units = createAllowance(UNITS);
  const overhead = createAllowance(OVERHEAD_BYTES);
  const seen = { read: socket.bytesRead, written: socket.bytesWritten };
  /** Bytes that requests since the last check explain. */
  let explained = 0;
  let hasTraffic = true;
  let idleSinceMs = performance.now();
  let maxIdleMs = timeouts.headersMs;

  function end(code: number): void {
    if (session.destroyed) return;
    session.destroy(code === constants.NGHTTP2_NO_ERROR ? undefined : new Error('beyond a limit'), code);
    // Node waits until the client has read everything.
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }

  function spend(): void {
    if (!units.take(1)) end(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  function checkReading({ req: { stream }, res }: Exchange): void {
    if (performance.now() - res.progressMs < timeouts.unreadMs) return;
    // The second time, the client does not even read why its stream has ended.
    if (stream.closed) socket.destroy();
    else stream.close(constants.NGHTTP2_CANCEL);
  }

  function checkOverhead(): void {
    const { bytesRead, bytesWritten } = socket;
    const read = bytesRead - seen.read;
    hasTraffic = read !== 0;
    if (!hasTraffic) return;
    explained += (bytesWritten - seen.written) * OVERHEAD_OF_READ;
    for (const { req } of open) explained += takeReceived(req);
    Object.assign(seen, { read: bytesRead, written: bytesWritten });
    const excess = read - explained;
    explained = Math.max(0, -excess);
    if (excess > 0 && !overhead.take(excess)) end(constants.NGHTTP2_ENHANCE_YOUR_CALM);
  }

  session.on('ping', spend);
  session.on('remoteSettings', spend);

  return {
    began(exchange) {
      open.add(exchange);
      explained += REQUEST_BYTES;
    },
    ended(exchange) {
      open.delete(exchange);
      explained += takeReceived(exchange.req);
      idleSinceMs = performance.now();
      maxIdleMs = timeouts.idleMs;
      hasTraffic = true;
      if (!exchange.res.isSent()) spend();
    },
    isQuiet: () => open.size === 0 && !hasTraffic,
    check() {
      if (open.size === 0 && performance.now() - idleSinceMs > maxIdleMs) end(constants.NGHTTP2_NO_ERROR);
      for (const exchange of open) checkReading(exchange);
      checkOverhead();
    },
  };
}

const counted = new WeakMap<Http2Request, number>();

/** Returns the bytes that the body of a request explains, and were not returned before. */
function takeReceived(req: Http2Request): number {
  const before = counted.get(req) ?? 0;
  counted.set(req, req.receivedBytes);
  return (req.receivedBytes - before) * (1 + BODY_OVERHEAD);
}

/** An amount that grows with time, up to `burst`. */
function createAllowance({ burst, perSecond }: { burst: number; perSecond: number }) {
  let left = burst;
  let atMs = performance.now();
  return {
    /** Returns false if less than `amount` is left; then nothing is taken. */
    take(amount: number): boolean {
      const nowMs = performance.now();
      left = Math.min(burst, left + ((nowMs - atMs) / 1000) * perSecond);
      atMs = nowMs;
      if (amount > left) return false;
      left -= amount;
      return true;
    },
  };
}
