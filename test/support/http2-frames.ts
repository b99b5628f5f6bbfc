import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';

/** Types of frames (RFC 9113 section 6). */
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const FLAG = { endStream: 1, ack: 1, endHeaders: 4 } as const;

export interface Frame {
  type: number;
  flags: number;
  stream: number;
  payload: Buffer;
}

export interface RawHttp2 {
  socket: TLSSocket;
  /** All frames that came, in order. */
  frames: Frame[];
  send: (...frames: Buffer[]) => void;
  /** Resolves when the gateway has closed the connection. */
  closed: Promise<unknown>;
}

export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header field as a literal that is not indexed (RFC 7541 section 6.2.2). */
export function field(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

function text(value: string): Buffer {
  return Buffer.concat([integer(value.length, 7), Buffer.from(value)]);
}

/** An integer with a prefix of `bits` bits (RFC 7541 section 5.1). */
export function integer(value: number, bits: number, pattern = 0): Buffer {
  const most = 2 ** bits - 1;
  if (value < most) return Buffer.from([pattern | value]);
  const bytes = [pattern | most];
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

/** The fields of a GET. */
export function getFields(authority: string, path = '/'): Buffer {
  return Buffer.concat([
    field(':method', 'GET'),
    field(':scheme', 'https'),
    field(':path', path),
    field(':authority', authority),
  ]);
}

/** A whole GET in one frame. */
export function get(stream: number, authority: string, path = '/'): Buffer {
  return frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, stream, getFields(authority, path));
}

export function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
}

/** A connection on which HTTP/2 has begun; what is sent on it is up to the caller. */
export async function connectRaw(port: number, servername: string, ca: string): Promise<RawHttp2> {
  const socket = connect({ host: '127.0.0.1', port, servername, ca, ALPNProtocols: ['h2'] });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  await once(socket, 'secureConnect');
  const frames: Frame[] = [];
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const length = rest.readUIntBE(0, 3);
      const [type, flags] = [rest.readUInt8(3), rest.readUInt8(4)];
      frames.push({ type, flags, stream: rest.readUInt32BE(5), payload: rest.subarray(9, 9 + length) });
      rest = rest.subarray(9 + length);
    }
  });
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(frame(FRAME.settings, 0, 0));
  return {
    socket,
    frames,
    send: (...sent) => void socket.write(Buffer.concat(sent)),
    closed,
  };
}
