import { connect } from 'node:net';
import type { TestGateway } from './gateway.js';
import { parseAnswer, rawHead, type RawAnswer } from './raw-http.js';
import { until } from './until.js';

/** A request whose headers and the first half of whose body are sent. */
export interface BegunRequest {
  /** Sends the rest of the body. */
  finish: () => void;
  /** What the gateway answers. It closes the connection after it. */
  answer: Promise<RawAnswer>;
}

/**
 * Begins a request, and resolves when the gateway has authenticated it.
 * @param requestLine `POST /v1/pets`
 */
export async function beginRequest(
  { url, services }: Pick<TestGateway, 'url' | 'services'>,
  requestLine: string,
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): Promise<BegunRequest> {
  const authenticated = jest.spyOn(services.recorder, 'noteUse');
  const bytes = Buffer.from(body);
  const half = Math.ceil(bytes.length / 2);
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const answer = new Promise<RawAnswer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    // A connection that is cut after an answer has still answered.
    socket.on('error', (error) => {
      if (chunks.length === 0) reject(error);
    });
    socket.on('close', () => resolve(parseAnswer(Buffer.concat(chunks).toString('utf8'))));
  });
  const lines = Object.entries({ host: 'localhost', connection: 'close', ...headers });
  const head = rawHead(
    `${requestLine} HTTP/1.1`,
    ...lines.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${bytes.length}`,
  );
  socket.write(Buffer.concat([Buffer.from(head), bytes.subarray(0, half)]));
  await until('the gateway to authenticate the request', () =>
    Promise.resolve(authenticated.mock.calls.length > 0),
  );
  authenticated.mockRestore();
  return { finish: () => void socket.write(bytes.subarray(half)), answer };
}
