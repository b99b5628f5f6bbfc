import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, request } from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Pebble } from '../../../support/pebble.js';

/** What is done to a request in place of passing it on. */
export type Interference =
  'cut' | 'silence' | 'endless' | { status: number; headers?: Record<string, string>; body: string };

export interface CaProxy {
  directoryUrl: string;
  /** From now on; undefined passes everything on. The body is the JWS that was sent. */
  interfere: (rule: ((path: string, body: string) => Interference | undefined) | undefined) => void;
  close: () => Promise<void>;
}

/** Stands in front of Pebble, which makes its URLs from the Host it is asked under, and does what Pebble never does. */
export async function startCaProxy({ directoryUrl, ca, files }: Pebble): Promise<CaProxy> {
  const upstream = new URL(directoryUrl);
  let rule: Parameters<CaProxy['interfere']>[0];
  const [cert, key] = [await readFile(files.certificate), await readFile(files.key)];
  const server = createServer({ cert, key }, (asked, answer) => {
    // Rejects when the client gives up: then nobody waits for an answer.
    text(asked).then(
      (body) => treat(asked, answer, body),
      () => undefined,
    );
  });
  function treat(asked: IncomingMessage, answer: ServerResponse, body: string): void {
    const interference = rule?.(asked.url ?? '', body);
    if (interference === undefined) return passOn(asked, answer, body, upstream, ca);
    if (interference === 'cut') return void asked.socket.destroy();
    if (interference === 'silence') return undefined;
    if (interference === 'endless') return void pipeline(endless(), answer).catch(() => undefined);
    const { status, headers, body: problemText } = interference;
    answer.writeHead(status, { 'Content-Type': 'application/problem+json', ...headers }).end(problemText);
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    directoryUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}${upstream.pathname}`,
    interfere(next) {
      rule = next;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function endless(): Readable {
  const chunk = Buffer.alloc(64 * 1024, ' ');
  return new Readable({
    read() {
      this.push(chunk);
    },
  });
}

function passOn(
  asked: IncomingMessage,
  answer: ServerResponse,
  body: string,
  upstream: URL,
  ca: string,
): void {
  const { method, headers, url } = asked;
  const options = {
    host: upstream.hostname,
    port: upstream.port,
    path: url,
    method,
    headers,
    ca,
    agent: false,
  };
  const passed = request(options, (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
  });
  // The socket: a request whose body has arrived is destroyed already.
  passed.once('error', () => asked.socket.destroy());
  passed.end(body);
}

/** A problem document as a CA sends it. */
export function problem(status: number, name: string, detail: string, headers = {}): Interference {
  return { status, headers, body: JSON.stringify({ type: `urn:ietf:params:acme:error:${name}`, detail }) };
}
