import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { mongoUriThrough } from './mongo-uri-through.js';

/** A wire to MongoDB that can be silent: connections stand, and nothing arrives. */
export interface SilentWire {
  uri: string;
  hold: () => void;
  release: () => void;
  close: () => void;
}

export async function startWire(mongodbUri: string): Promise<SilentWire> {
  const target = new URL(mongodbUri);
  const sockets = new Set<Socket>();
  let held = false;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('data', (bytes) => other.write(bytes));
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
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
