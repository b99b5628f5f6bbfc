import { connect, type Socket } from 'node:net';

/** An answer as it stood on the wire. */
export interface RawAnswer {
  status: number;
  /** Status line and header lines. */
  head: string;
  /** By name in lower case; the first, when there are several. */
  headers: ReadonlyMap<string, string>;
  body: string;
}

/** Sends bytes that fetch would not send, and reads until the gateway closes: ask for that with Connection: close. */
export async function sendRaw(url: string, request: string | Buffer): Promise<RawAnswer> {
  return parseAnswer(await exchangeRaw(url, request));
}

/** As sendRaw, unparsed: for several answers on one connection. */
export function exchangeRaw(url: string, request: string | Buffer): Promise<string> {
  return exchange(url, (socket) => socket.write(request));
}

/** As exchangeRaw, but says that nothing more comes: a request that is not whole need not be waited for. */
export function exchangeRawToEnd(url: string, request: string | Buffer): Promise<string> {
  return exchange(url, (socket) => socket.end(request));
}

function exchange(url: string, send: (socket: Socket) => void): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true }, () => send(socket));
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('end', () => {
      socket.end();
      resolve(Buffer.concat(chunks).toString('utf8'));
    });
    // A connection that is cut after an answer has still answered.
    socket.on('error', (error) => {
      if (chunks.length > 0) resolve(Buffer.concat(chunks).toString('utf8'));
      else reject(error);
    });
  });
}

/** Lines of a request's head, closed by an empty one. */
export function rawHead(...lines: string[]): string {
  return [...lines, '', ''].join('\r\n');
}

export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end);
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (!headers.has(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return { status: Number(statusLine.split(' ')[1]), head, headers, body: text.slice(end + 4) };
}
