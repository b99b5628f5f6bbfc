import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';

export interface AskedOver {
  transport: 'udp' | 'tcp';
  /** The port that the query came from. */
  port: number;
}

/**
 * What is sent in place of an answer, in order; nothing: silence. Over TCP the bytes go out as they are, after them the
 * connection ends.
 */
export type Rewrite = (query: Buffer, answer: Buffer, over: AskedOver) => Buffer[];

/** A DNS server on 127.0.0.1 in front of another one, over UDP and TCP, that changes the answers. */
export interface DnsInFront {
  /** `ip:port`, as DNS_SERVERS takes it. */
  address: string;
  close: () => Promise<void>;
}

export async function startDnsInFront(upstream: { port: number }, rewrite: Rewrite): Promise<DnsInFront> {
  const tcp = createServer();
  tcp.listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4');
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');

  udp.on('message', (query, from) => {
    const socket = createSocket('udp4');
    socket.once('message', (answer) => {
      socket.close();
      for (const message of rewrite(query, answer, { transport: 'udp', port: from.port }))
        udp.send(message, from.port, from.address);
    });
    socket.send(query, upstream.port, '127.0.0.1');
    socket.unref();
  });
  tcp.on('connection', (client) => {
    const server = connect({ host: '127.0.0.1', port: upstream.port });
    for (const socket of [client, server]) socket.on('error', () => socket.destroy()).unref();
    client.once('data', (query) => {
      server.write(query);
      server.once('data', (answer) => {
        server.destroy();
        for (const bytes of rewrite(query, answer, { transport: 'tcp', port: client.remotePort ?? 0 }))
          client.write(bytes);
        client.end();
      });
    });
  });
  return {
    address: `127.0.0.1:${port}`,
    async close() {
      udp.close();
      tcp.close();
      await Promise.all([once(udp, 'close'), once(tcp, 'close')]);
    },
  };
}
