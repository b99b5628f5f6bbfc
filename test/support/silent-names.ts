import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

/** A DNS server in front of another one, over UDP. For some names it takes in what is asked and never answers. */
export interface SilentNames {
  /** `ip:port`, as DNS_SERVERS takes it. */
  address: string;
  /** How many queries have got no answer. */
  unanswered: () => number;
  close: () => Promise<void>;
}

const HEADER_BYTES = 12;

export async function startSilentNames(
  upstream: { port: number },
  isSilent: (name: string) => boolean,
): Promise<SilentNames> {
  let unanswered = 0;
  const server = createSocket('udp4');
  server.on('message', (query, from) => {
    if (isSilent(nameIn(query))) unanswered += 1;
    else passOn(query, from);
  });

  function passOn(query: Buffer, from: RemoteInfo): void {
    const socket = createSocket('udp4');
    socket.once('message', (answer) => {
      socket.close();
      server.send(answer, from.port, from.address);
    });
    socket.send(query, upstream.port, '127.0.0.1');
    socket.unref();
  }

  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${server.address().port}`,
    unanswered: () => unanswered,
    async close() {
      server.close();
      await once(server, 'close');
    },
  };
}

/** The name of a query's question, in lower case (RFC 1035, 4.1.2). */
function nameIn(query: Buffer): string {
  const labels: string[] = [];
  for (let at = HEADER_BYTES; at < query.length;) {
    const length = query[at] ?? 0;
    if (length === 0) break;
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return labels.join('.').toLowerCase();
}
