import {
  constants,
  Http2ServerRequest,
  Http2ServerResponse,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Express } from 'express';

/**
 * A response is written to its stream in pieces of this size, in bytes, so that the gateway notices whether the client
 * reads. A frame is no larger.
 */
const PIECE_BYTES = 16 * 1024;

/**
 * What the steps of a request use of its connection. The state is that of the request's stream: the end of one stream
 * does not end the others.
 */
class StreamSocket {
  readonly encrypted = true;
  readonly readable = true;
  readonly writable = true;
  readonly remoteAddress: string | undefined;
  readonly servername: unknown;

  constructor(
    private readonly req: Http2Request,
    socket: TLSSocket & { servername?: unknown },
  ) {
    this.remoteAddress = socket.remoteAddress;
    this.servername = socket.servername;
  }

  /** Bytes of the request's body. */
  get bytesRead(): number {
    return this.req.receivedBytes;
  }

  get destroyed(): boolean {
    return this.req.stream.destroyed;
  }

  on(event: string, listener: () => void): this {
    this.req.stream.on(event, listener);
    return this;
  }

  once(event: string, listener: () => void): this {
    this.req.stream.once(event, listener);
    return this;
  }

  removeListener(event: string, listener: () => void): this {
    this.req.stream.off(event, listener);
    return this;
  }

  destroy(): void {
    this.req.stream.close(constants.NGHTTP2_CANCEL);
  }
}

/** @param rawHeaders names and values in turn */
function pairsOf(rawHeaders: readonly string[]): [name: string, value: string][] {
  return rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [[name, rawHeaders[i + 1] ?? '']] : []));
}

/**
 * The headers with `:authority` as a Host header (RFC 9113 section 8.3.1). If a request has both, they count as one
 * header if they agree.
 */
function withHost(rawHeaders: readonly string[]): string[] {
  const pairs = pairsOf(rawHeaders);
  const authority = pairs.find(([name]) => name === ':authority')?.[1];
  return pairs.flatMap(([name, value]) => {
    if (name === ':authority') return ['host', value];
    return name === 'host' && value === authority ? [] : [name, value];
  });
}

/** A request over HTTP/2, with those members of `http.IncomingMessage` that the steps use. */
export class Http2Request extends Http2ServerRequest {
  receivedBytes = 0;
  private isReceived: boolean;

  constructor(
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    rawHeaders: readonly string[],
    socket: TLSSocket,
  ) {
    super(stream, headers, {}, withHost(rawHeaders));
    Object.defineProperty(this, 'socket', { value: new StreamSocket(this, socket) });
    this.isReceived = stream.endAfterHeaders;
    headers.host ??= headers[':authority'];
    if (this.isReceived) return;
    // Readers of a body look for one of these two headers.
    if (headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked';
    // Otherwise a reader would take the end of the connection for the end of the body.
    stream.once('aborted', () => this.destroy(new Error('aborted')));
    // Reads ahead, as Node does for HTTP/1.1.
    this.read(0);
  }

  get headersDistinct(): Record<string, string[]> {
    // Without a prototype: a header can be named `constructor`.
    const distinct = Object.create(null) as Record<string, string[]>;
    for (const [name, value] of pairsOf(this.rawHeaders)) (distinct[name] ??= []).push(value);
    return distinct;
  }

  /** Whether the whole body has arrived, or no more of it will. */
  isComplete(): boolean {
    return this.isReceived || this.stream.destroyed;
  }

  override push(chunk: Buffer | null): boolean {
    if (chunk === null) this.isReceived = true;
    else this.receivedBytes += chunk.length;
    return super.push(chunk);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    // As in HTTP/1.1: an error that nobody waits for does not end the process.
    done(this.listenerCount('error') > 0 ? error : null);
  }
}

/** A response over HTTP/2, with those members of `http.ServerResponse` that the steps use. */
export class Http2Response extends Http2ServerResponse {
  /** When the client last took a part of the response, in milliseconds of `performance.now()`. */
  progressMs = Infinity;
  private hasEnded = false;
  private isHandedOver = false;

  isEnded(): boolean {
    return this.hasEnded;
  }

  /** Whether the whole response was sent. */
  isSent(): boolean {
    return this.isHandedOver && this.stream.writableFinished;
  }

  override setHeader(name: string, value: number | string | readonly string[]): this {
    // HTTP/2 has no such header (RFC 9113 section 8.2.2), and Node would warn.
    if (name.toLowerCase() !== 'connection') super.setHeader(name, value);
    return this;
  }

  override end(chunk?: unknown): this {
    if (this.hasEnded) return this;
    this.hasEnded = true;
    this.progressMs = performance.now();
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array | undefined);
    if (bytes === undefined || this.req.method === 'HEAD') this.endWith();
    else this.sendFrom(bytes, 0);
    // The steps have no more work with this request.
    this.emit('prefinish');
    return this;
  }

  private sendFrom(bytes: Uint8Array, start: number): void {
    const end = start + PIECE_BYTES;
    if (end >= bytes.length) {
      this.endWith(bytes.subarray(start));
      return;
    }
    this.write(bytes.subarray(start, end), 'utf8', () => {
      this.progressMs = performance.now();
      if (!this.stream.destroyed) this.sendFrom(bytes, end);
    });
  }

  private endWith(bytes?: Uint8Array): void {
    this.isHandedOver = true;
    super.end(bytes ?? '');
  }
}

// Node's types have these as properties, so the classes cannot have accessors of these names.
Object.defineProperty(Http2Request.prototype, 'complete', {
  get(this: Http2Request) {
    return this.isComplete();
  },
});
Object.defineProperty(Http2Response.prototype, 'writableEnded', {
  get(this: Http2Response) {
    return this.isEnded();
  },
});
Object.defineProperty(Http2Response.prototype, 'writableFinished', {
  get(this: Http2Response) {
    return this.isSent();
  },
});

export type Http2Listener = (req: Http2Request, res: Http2Response) => void;

export interface Http2Messages {
  /** The classes of requests and responses of one server. */
  classes: { Request: typeof Http2Request; Response: typeof Http2Response };
  /**
   * Gives the classes Express's methods. Returns the listener with which `app` answers their objects. To be called while
   * the app still has its own prototypes.
   */
  adopt: (app: Express) => Http2Listener;
}

/**
 * Express sets the prototypes of requests and responses to its own, which derive from HTTP/1.1's. For HTTP/2, the app
 * gets prototypes with the same methods that derive from HTTP/2's. As in ../messages.ts, all objects have them from the
 * start.
 */
export function createHttp2Messages(): Http2Messages {
  class Request extends Http2Request {}
  class Response extends Http2Response {}
  return {
    classes: { Request, Response },
    adopt(app) {
      Object.setPrototypeOf(Request.prototype, withMethods(Http2Request.prototype, app.request));
      Object.setPrototypeOf(Response.prototype, withMethods(Http2Response.prototype, app.response));
      const http2App = Object.create(app, {
        request: { value: Request.prototype },
        response: { value: Response.prototype },
      }) as { handle: Http2Listener };
      return (req, res) => http2App.handle(req, res);
    },
  };
}

/** @param ofApp what an app gives its objects: their `app`. It derives from what all apps have: Express's methods. */
function withMethods(prototype: object, ofApp: object): object {
  return Object.create(prototype, {
    ...Object.getOwnPropertyDescriptors(Object.getPrototypeOf(ofApp) as object),
    ...Object.getOwnPropertyDescriptors(ofApp),
  }) as object;
}
