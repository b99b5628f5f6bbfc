import { once } from 'node:events';
import {
  connect,
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';

export interface Http2Answer {
  /** 0: the stream ended without a response. */
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The code with which the stream ended. */
  rstCode: number;
}

/** A connection over HTTP/2 for this server name. */
export async function connectHttp2(
  port: number,
  servername: string,
  ca: string,
  settings = {},
): Promise<ClientHttp2Session> {
  const session = connect(`https://127.0.0.1:${port}`, { servername, ca, settings });
  session.on('error', () => undefined);
  await once(session, 'connect');
  return session;
}

/** Without a body unless `body` is given. `:authority` is the server name unless `headers` has one. */
export function ask(
  session: ClientHttp2Session,
  headers: Record<string, string | string[]>,
  body?: string | Buffer,
): Promise<Http2Answer> {
  const stream = begin(session, headers, body !== undefined);
  if (body !== undefined) stream.end(body);
  return answerOf(stream);
}

/** @param hasBody whether the caller sends one on the stream */
export function begin(
  session: ClientHttp2Session,
  headers: Record<string, string | string[]>,
  hasBody = false,
): ClientHttp2Stream {
  const { servername } = session.socket as unknown as { servername: string };
  const stream = session.request({ ':authority': servername, ...headers }, { endStream: !hasBody });
  stream.on('error', () => undefined);
  return stream;
}

export function answerOf(stream: ClientHttp2Stream): Promise<Http2Answer> {
  return new Promise((resolve) => {
    let headers: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on('response', (given) => (headers = given));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.once('close', () =>
      resolve({
        status: Number(headers[':status'] ?? 0),
        headers,
        text: Buffer.concat(chunks).toString(),
        rstCode: stream.rstCode,
      }),
    );
  });
}
