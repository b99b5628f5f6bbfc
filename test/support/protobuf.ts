/** The fields of one message by their numbers, each as often as it was sent. */
export type Fields = ReadonlyMap<number, readonly Wire[]>;

/** What stands in a field: a varint, eight or four bytes little-endian, or bytes. */
export type Wire = bigint | Buffer;

/**
 * The wire format of Protocol Buffers (https://protobuf.dev/programming-guides/encoding/), as far as it can be read without
 * a schema. @throws Error for what is none
 */
export function readFields(message: Buffer): Fields {
  const fields = new Map<number, Wire[]>();
  let at = 0;

  function varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }
  function bytes(length: number): Buffer {
    if (at + length > message.length) throw new Error('a field is longer than its message');
    at += length;
    return message.subarray(at - length, at);
  }
  const read: Readonly<Record<number, () => Wire>> = {
    0: varint,
    1: () => bytes(8),
    2: () => bytes(Number(varint())),
    5: () => bytes(4),
  };

  while (at < message.length) {
    const tag = varint();
    const readWire = read[Number(tag & 7n)];
    if (readWire === undefined) throw new Error(`no such wire type: ${tag & 7n}`);
    const number = Number(tag >> 3n);
    fields.set(number, [...(fields.get(number) ?? []), readWire()]);
  }
  return fields;
}

export function messagesOf(fields: Fields, number: number): Fields[] {
  return bytesOf(fields, number).map(readFields);
}

export function textOf(fields: Fields, number: number): string {
  return bytesOf(fields, number)[0]?.toString('utf8') ?? '';
}

export function hexOf(fields: Fields, number: number): string {
  return bytesOf(fields, number)[0]?.toString('hex') ?? '';
}

export function integerOf(fields: Fields, number: number): bigint | undefined {
  const [value] = fields.get(number) ?? [];
  return Buffer.isBuffer(value) ? undefined : value;
}

export function bytesOf(fields: Fields, number: number): Buffer[] {
  return (fields.get(number) ?? []).filter((value) => Buffer.isBuffer(value));
}
