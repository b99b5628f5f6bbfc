import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';

const TYPES = { A: 1, CNAME: 5, TXT: 16, AAAA: 28, CAA: 257 } as const;
/** RFC 1035, 4.1.1. */
const RCODES = { SERVFAIL: 2, NOTIMP: 4, REFUSED: 5 } as const;

export interface Question {
  /** In lower case. */
  name: string;
  /** Undefined: one that the gateway does not ask for. */
  type: keyof typeof TYPES | undefined;
}

export type DnsFault = keyof typeof RCODES | 'silence';

/** A DNS server in front of another one, over UDP, that fails for some questions. */
export interface FaultyDns {
  /** `ip:port`, as DNS_SERVERS takes it. */
  address: string;
  /** How many queries have got no answer. */
  unanswered: () => number;
  close: () => Promise<void>;
}

const HEADER_BYTES = 12;

/** @param faultOf undefined for what the other server answers */
export async function startFaultyDns(
  upstream: { port: number },
  faultOf: (question: Question) => DnsFault | undefined,
): Promise<FaultyDns> {
  let unanswered = 0;
  const server = createSocket('udp4');
  server.on('message', (query, from) => {
    const fault = faultOf(questionIn(query));
    if (fault === undefined) passOn(query, from);
    else if (fault === 'silence') unanswered += 1;
    else server.send(refusalOf(query, RCODES[fault]), from.port, from.address);
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

/** A query has one question: a name, a type and a class (RFC 1035, 4.1.2). */
function questionIn(query: Buffer): Question {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const code = query.readUInt16BE(at + 1);
  const types = Object.keys(TYPES) as (keyof typeof TYPES)[];
  return { name: labels.join('.').toLowerCase(), type: types.find((type) => TYPES[type] === code) };
}

/** The query, with the bit of a response and this code in its header. */
function refusalOf(query: Buffer, rcode: number): Buffer {
  const answer = Buffer.from(query);
  answer.writeUInt8(answer.readUInt8(2) | 0x80, 2);
  answer.writeUInt8((answer.readUInt8(3) & 0xf0) | rcode, 3);
  return answer;
}
