import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { rawHead } from '../../support/raw-http.js';

const PET = '{"name":"Rex","categoryId":7}';

/** A request that stays under way for as long as a test likes: its body is yet to come. */
export interface HeldRequest {
  /** Sends the body; resolves to the status of the answer. */
  finish: () => Promise<number>;
  /** Cuts the connection. */
  abort: () => Promise<void>;
}

export async function holdRequest(gatewayUrl: string, secret: string): Promise<HeldRequest> {
  const socket = await connectTo(gatewayUrl);
  socket.write(
    rawHead(
      'POST /v1/pets HTTP/1.1',
      'Host: x',
      'Connection: close',
      `Authorization: Bearer ${secret}`,
      'Content-Type: application/json',
      `Content-Length: ${PET.length}`,
    ),
  );
  return {
    async finish() {
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString()));
      socket.write(PET);
      await once(socket, 'close');
      return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
    },
    abort: () => cut(socket),
  };
}

/** Sends requests on one connection, without waiting for an answer in between. */
export async function pipeline(
  gatewayUrl: string,
  requests: readonly string[],
): Promise<{ abort: () => Promise<void> }> {
  const socket = await connectTo(gatewayUrl);
  socket.write(requests.join(''));
  return { abort: () => cut(socket) };
}

async function connectTo(gatewayUrl: string): Promise<Socket> {
  const { hostname, port } = new URL(gatewayUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  return socket;
}

async function cut(socket: Socket): Promise<void> {
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
}
