import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { TestGateway } from '../../support/gateway.js';
import { rawHead } from '../../support/raw-http.js';
import { withResolvers } from '../../support/with-resolvers.js';

const PET = '{"name":"Rex","categoryId":7}';

/** A request that stays in flight for as long as a test likes: its charge is yet to be decided. */
export interface HeldRequest {
  /** Lets it go on; resolves to the status of the answer. */
  finish: () => Promise<number>;
  /** Cuts the connection. */
  abort: () => Promise<void>;
}

const create = (secret: string) =>
  rawHead(
    'POST /v1/pets HTTP/1.1',
    'Host: x',
    'Connection: close',
    `Authorization: Bearer ${secret}`,
    'Content-Type: application/json',
    `Content-Length: ${PET.length}`,
  ) + PET;

/**
 * Returns a function that sends a request and holds it: by default one that creates a pet. The gateway decides all other
 * charges as usual.
 */
export function holdRequests({
  url,
  services,
}: TestGateway): (secret: string, text?: string) => Promise<HeldRequest> {
  const charge = services.quotas.charge.bind(services.quotas);
  /** The gate that the next charge meets. */
  let next: { entered: () => void; opened: Promise<unknown> } | undefined;
  services.quotas.charge = async (...charged) => {
    const gate = next;
    next = undefined;
    gate?.entered();
    await gate?.opened;
    return charge(...charged);
  };

  return async (secret, text = create(secret)) => {
    const socket = await connectTo(url);
    const [entered, opened] = [withResolvers<undefined>(), withResolvers<undefined>()];
    next = { entered: () => entered.resolve(undefined), opened: opened.promise };
    socket.write(text);
    await entered.promise;
    return {
      async finish() {
        let answer = '';
        socket.on('data', (chunk) => (answer += chunk.toString()));
        opened.resolve(undefined);
        await once(socket, 'close');
        return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
      },
      async abort() {
        await cut(socket);
        opened.resolve(undefined);
      },
    };
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
