import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongoUriThrough } from './mongo-uri-through.js';

/** A wire to MongoDB that can be silent (connections stand, and nothing arrives) or long. */
export interface SilentWire {
  uri: string;
  hold: () => void;
  release: () => void;
  /** What MongoDB says from now on arrives so much later, in its order. */
  delay: (ms: number) => void;
  close: () => void;
}

/** @param onSent called with what clients send, as it arrives */
export async function startWire(
  mongodbUri: string,
  onSent: (bytes: Buffer) => void = () => undefined,
): Promise<SilentWire> {
  const target = new URL(mongodbUri);
  const sockets = new Set<Socket>();
  let held = false;
  let delayMs = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      let arrived = Promise.resolve();
      socket.on('data', (bytes) => {
        if (socket === client) {
          onSent(bytes);
          other.write(bytes);
        } else arrived = Promise.all([arrived, sleep(delayMs)]).then(() => void other.write(bytes));
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      if (held) socket.pause();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    uri: mongoUriThrough(mongodbUri, (server.address() as AddressInfo).port),
    hold() {
      held = true;
      for (const socket of sockets) socket.pause();
    },
    release() {
      held = false;
      for (const socket of sockets) socket.resume();
    },
    delay(ms) {
      delayMs = ms;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
