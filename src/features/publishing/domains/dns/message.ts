/** DNS messages (RFC 1035 section 4): one query, and the answer section of its response. */

export interface Question {
  /** Drawn at random: who does not see the query has to guess it (RFC 5452). */
  id: number;
  /** In lower case, without a trailing dot. */
  name: string;
  type: number;
}

export interface Response {
  isTruncated: boolean;
  /** Whether the server has authority for the name, or looks up names of other servers. */
  isFromResponsible: boolean;
  rcode: number;
  /** In the order of the response; empty if it is truncated. */
  answers: readonly Answered[];
}

/** A record of class IN: a CNAME record if it has a target, a CAA record if it has `caa`. */
export interface Answered {
  /** In lower case, without a trailing dot. */
  name: string;
  target?: string | undefined;
  caa?: CaaRecord | undefined;
}

/** RFC 8659 section 4.1. */
export interface CaaRecord {
  flags: number;
  /** In lower case. */
  tag: string;
  value: string;
}

export const TYPE = { CNAME: 5, OPT: 41, CAA: 257 } as const;
export const RCODE = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;

/** A response that does not follow the format of RFC 1035. */
export class MalformedResponse extends Error {
  override name = 'MalformedResponse';
}

const CLASS_IN = 1;
const HEADER_BYTES = 12;
const RECURSION_DESIRED = 0x0100;
/** Larger responses over UDP can arrive in fragments, which networks drop. */
const UDP_PAYLOAD_BYTES = 1232;
const MAX_LABEL_BYTES = 63;
const MAX_NAME_BYTES = 255;

/**
 * @param withEdns whether the server may send more than 512 bytes over UDP (RFC 6891)
 * @returns undefined if the name cannot be part of a query
 */
export function encodeQuery({ id, name, type }: Question, withEdns: boolean): Buffer | undefined {
  const labels = name.split('.');
  const isValid = labels.every((label) => /^[!-[\]-~]+$/.test(label) && label.length <= MAX_LABEL_BYTES);
  // A length byte for each label, and one for the root.
  if (!isValid || name.length + 2 > MAX_NAME_BYTES) return undefined;
  const header = sixteenBits(id, RECURSION_DESIRED, 1, 0, 0, withEdns ? 1 : 0);
  const encodedName = labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`));
  // The root as name, the payload size in place of a class, no flags and no options.
  const options = [Buffer.from([0]), sixteenBits(TYPE.OPT, UDP_PAYLOAD_BYTES, 0, 0, 0)];
  return Buffer.concat([
    header,
    ...encodedName,
    Buffer.from([0]),
    sixteenBits(type, CLASS_IN),
    ...(withEdns ? options : []),
  ]);
}

/**
 * Returns undefined if the message does not answer this question.
 * @throws MalformedResponse
 */
export function readResponse(message: Buffer, question: Question): Response | undefined {
  if (message.length < HEADER_BYTES || message.readUInt16BE(0) !== question.id) return undefined;
  const flags = message.readUInt16BE(2);
  const [isResponse, opcode, rcode] = [(flags & 0x8000) !== 0, (flags >> 11) & 0xf, flags & 0xf];
  if (!isResponse || opcode !== 0) return undefined;
  const answeredAt = endOfQuestion(message, question, rcode);
  if (answeredAt === undefined) return undefined;
  const isTruncated = (flags & 0x0200) !== 0;
  return {
    isTruncated,
    isFromResponsible: (flags & (0x0400 | 0x0080)) !== 0,
    rcode,
    answers: isTruncated ? [] : readAnswers(message, answeredAt),
  };
}

/** Where the question of the message ends; undefined if it is another one. A server that reports a fault can omit it. */
function endOfQuestion(message: Buffer, { name, type }: Question, rcode: number): number | undefined {
  const questions = message.readUInt16BE(4);
  if (questions === 0 && rcode !== RCODE.NOERROR) return HEADER_BYTES;
  if (questions !== 1) return undefined;
  const asked = readName(message, HEADER_BYTES);
  const isAsked =
    asked.name === name && wordAt(message, asked.end) === type && wordAt(message, asked.end + 2) === CLASS_IN;
  return isAsked ? asked.end + 4 : undefined;
}

function readAnswers(message: Buffer, start: number): Answered[] {
  const answers: Answered[] = [];
  let at = start;
  for (let left = message.readUInt16BE(6); left > 0; left -= 1) {
    const { name, end } = readName(message, at);
    const [type, klass, length] = [wordAt(message, end), wordAt(message, end + 2), wordAt(message, end + 8)];
    const dataAt = end + 10;
    at = dataAt + length;
    if (at > message.length) throw new MalformedResponse('a record is longer than the message');
    if (klass !== CLASS_IN) continue;
    if (type === TYPE.CNAME) answers.push({ name, target: readName(message, dataAt).name });
    else if (type === TYPE.CAA) answers.push({ name, caa: readCaa(message.subarray(dataAt, at)) });
    else answers.push({ name });
  }
  return answers;
}

/** A byte of flags, the tag behind its length, and the value, which can be empty (RFC 8659 section 4.1). */
function readCaa(data: Buffer): CaaRecord {
  const valueAt = 2 + byteAt(data, 1);
  if (valueAt > data.length) throw new MalformedResponse('a CAA record is too short');
  const tag = data.toString('latin1', 2, valueAt).toLowerCase();
  return { flags: byteAt(data, 0), tag, value: data.toString('utf8', valueAt) };
}

/**
 * A name that can end in a pointer to an earlier one (RFC 1035 section 4.1.4), in lower case. Each pointer leads
 * further back, so that names end. Bytes that are no letters, digits or punctuation, and dots in a label, become
 * `\DDD` (section 5.1).
 */
function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let end: number | undefined;
  let bytes = 1;
  for (let at = start, before = start; ;) {
    const length = byteAt(message, at);
    if (length === 0) return { name: labels.join('.'), end: end ?? at + 1 };
    if (length >= 0xc0) {
      end ??= at + 2;
      const pointer = wordAt(message, at) & 0x3fff;
      if (pointer >= before) throw new MalformedResponse('a name does not point back');
      at = before = pointer;
      continue;
    }
    const next = at + 1 + length;
    bytes += length + 1;
    if (length > MAX_LABEL_BYTES || bytes > MAX_NAME_BYTES || next > message.length)
      throw new MalformedResponse('a name is too long');
    labels.push(labelOf(message.subarray(at + 1, next)));
    at = next;
  }
}

function labelOf(bytes: Buffer): string {
  const text = bytes.toString('latin1').toLowerCase();
  return text.replace(/[^!-~]|[.\\]/g, (char) => `\\${String(char.charCodeAt(0)).padStart(3, '0')}`);
}

function byteAt(message: Buffer, at: number): number {
  const byte = message[at];
  if (byte === undefined) throw new MalformedResponse('the message ends early');
  return byte;
}

function wordAt(message: Buffer, at: number): number {
  return byteAt(message, at) * 256 + byteAt(message, at + 1);
}

function sixteenBits(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value, index * 2);
  return bytes;
}
