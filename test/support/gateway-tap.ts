import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';

export interface TappedRequest {
  /** Request line and header lines. */
  head: string;
  /** How long its connection had been idle before, milliseconds; undefined for the first request of a connection. */
  idleMs: number | undefined;
}

/** A gateway's port under two other addresses, with everything that a proxy sends to it recorded. */
export interface Tap {
  /** Two addresses with ports, as configurations name gateways: to the proxy these are two. */
  hosts: [string, string];
  requests: TappedRequest[];
  /**
   * For the next requests with this method: the gateway carries the request out, and its connection breaks at the
   * first byte of the response, as when the process dies at that moment.
   */
  loseResponses: (method: string, times: number) => void;
  close: () => Promise<void>;
}

const REQUEST_LINE = /^([A-Z]+) \S+ HTTP\/1\.[01]\r\n/;

export async function tapGateway(gatewayUrl: string): Promise<Tap> {
  const gateway = new URL(gatewayUrl);
  const requests: TappedRequest[] = [];
  const lost = new Map<string, number>();
  const open = new Set<Socket>();

  const servers = [1, 2].map(() => createServer(pass));
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const [first = '', second = ''] = servers.map(
    (server) => `127.0.0.1:${(server.address() as AddressInfo).port}`,
  );
  return {
    hosts: [first, second],
    requests,
    loseResponses: (method, times) => void lost.set(method, times),
    async close() {
      const closed = servers.map((server) => once(server.close(), 'close'));
      for (const socket of open) socket.destroy();
      await Promise.all(closed);
    },
  };

  function pass(proxySide: Socket): void {
    const gatewaySide = connect(Number(gateway.port), gateway.hostname);
    let answeredAt: number | undefined;
    let method = '';
    for (const [socket, other] of [
      [proxySide, gatewaySide],
      [gatewaySide, proxySide],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('end', () => other.end());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
    }
    proxySide.on('data', (chunk: Buffer) => {
      const text = chunk.toString('latin1');
      // Proxies send a request only after the response to the one before: each begins a chunk.
      const begun = REQUEST_LINE.exec(text);
      if (begun !== null) {
        method = begun[1] ?? '';
        const idleMs = answeredAt === undefined ? undefined : performance.now() - answeredAt;
        requests.push({ head: text.split('\r\n\r\n')[0] ?? '', idleMs });
      }
      gatewaySide.write(chunk);
    });
    gatewaySide.on('data', (chunk: Buffer) => {
      answeredAt = performance.now();
      const left = lost.get(method) ?? 0;
      if (left === 0) {
        proxySide.write(chunk);
        return;
      }
      lost.set(method, left - 1);
      gatewaySide.destroy();
    });
  }
}
