import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A wire to a Redis that words the error of a script on a replica as Redis 6.2 does. */
export interface RedisWire {
  url: string;
  /** Later connections lead to this port of 127.0.0.1; those that stand stay. */
  leadTo: (port: number) => void;
  close: () => void;
}

const ERROR = /^-READONLY /gm;
const OF_62 = '-ERR Error running script (call to f_0a1b): @user_script:59: @user_script: 59: -READONLY ';

export async function startRedis62Wire(port: number): Promise<RedisWire> {
  const sockets = new Set<Socket>();
  let target = port;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (bytes) => upstream.write(bytes));
    upstream.on('data', (bytes: Buffer) =>
      client.write(Buffer.from(bytes.toString('latin1').replace(ERROR, OF_62), 'latin1')),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo: (other) => void (target = other),
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
