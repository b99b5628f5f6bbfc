import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIP, isIPv6 } from 'node:net';
import { withTimeout } from '../../../../lib/with-timeout.js';
import {
  encodeQuery,
  MalformedResponse,
  RCODE,
  readResponse,
  type Question,
  type Response,
} from './message.js';

/** A server that answers with a failure. Other servers can have the answer. */
export class ServerFailure extends Error {
  constructor(
    /** As Node's resolver names it, without the `E`: SERVFAIL, REFUSED and so on. */
    readonly reason: string,
  ) {
    super(reason);
    this.name = 'ServerFailure';
  }
}

export interface Servers {
  /** As `getServers` of Node's resolver returns them. */
  servers: readonly string[];
  /** Timeout of the first try at a server. The second try has twice as much. */
  tryMs: number;
  /** Ends the tries: the caller does not wait any more. */
  signal: AbortSignal;
}

const TRIES = 2;

/**
 * Asks the servers in order, until one gives a definite answer: records, no records, or no such name. The second time it
 * asks without EDNS, because old firewalls drop what they do not know.
 *
 * @returns undefined if the name cannot be part of a query
 * @throws the failure of the last server
 */
export async function askServers(
  name: string,
  type: number,
  { servers, tryMs, signal }: Servers,
): Promise<Response | undefined> {
  if (encodeQuery({ id: 0, name, type }, false) === undefined) return undefined;
  let failure: unknown;
  for (let tried = 0; tried < TRIES; tried += 1)
    for (const server of servers) {
      if (signal.aborted) throw failure;
      const ask = { name, type, server: addressOf(server), timeoutMs: tryMs * 2 ** tried };
      try {
        return await askServer(ask, tried === 0);
      } catch (error) {
        failure = error;
      }
    }
  throw failure;
}

interface Ask extends Omit<Question, 'id'> {
  server: { address: string; port: number };
  timeoutMs: number;
}

/** @throws ServerFailure, MalformedResponse, TimeoutError, or the error of the socket */
async function askServer(ask: Ask, withEdns: boolean): Promise<Response> {
  const response = await exchange(ask, withEdns);
  const isOld = response.rcode === RCODE.FORMERR || response.rcode === RCODE.NOTIMP;
  if (withEdns && isOld) return askServer(ask, false);
  const reason = failureOf(response);
  if (reason !== undefined) throw new ServerFailure(reason);
  return response;
}

/** Over UDP, and over TCP if the response is too long for that. */
async function exchange({ name, type, ...ask }: Ask, withEdns: boolean): Promise<Response> {
  const question = { id: randomInt(0x10000), name, type };
  const query = encodeQuery(question, withEdns);
  if (query === undefined) throw new Error(`${name} cannot be part of a query`);
  const read = (message: Buffer) => readResponse(message, question);
  const response = await overUdp(ask, query, read);
  return response.isTruncated ? overTcp(ask, query, read) : response;
}

function failureOf({ rcode, answers, isFromResponsible }: Response): string | undefined {
  switch (rcode) {
    case RCODE.NOERROR:
      // A referral to other servers: this one knows nothing of the name, and does not ask them.
      return answers.length === 0 && !isFromResponsible ? 'LAME' : undefined;
    case RCODE.NXDOMAIN:
      return undefined;
    default:
      return Object.entries(RCODE).find(([, value]) => value === rcode)?.[0] ?? `RCODE${rcode}`;
  }
}

type Transport = Pick<Ask, 'server' | 'timeoutMs'>;
type Read = (message: Buffer) => Response | undefined;

/**
 * Sends the query from a port of its own. A connected socket takes only what comes from the server's address and port.
 * Messages that do not answer the question are ignored: anyone can send them.
 */
function overUdp({ server, timeoutMs }: Transport, query: Buffer, read: Read): Promise<Response> {
  const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
  const answer = new Promise<Response>((resolve, reject) => {
    const take = (response: Response | undefined) => {
      if (response !== undefined) resolve(response);
    };
    socket.on('error', reject);
    socket.on('message', (message) => void Promise.resolve(message).then(read).then(take).catch(reject));
    // Node's types do not know the error.
    const send = (error?: Error) => (error === undefined ? socket.send(query) : reject(error));
    socket.connect(server.port, server.address, send);
  });
  return withTimeout(answer, timeoutMs).finally(() => socket.close());
}

/** The length goes before the message, in two bytes (RFC 1035 section 4.2.2). */
function overTcp({ server, timeoutMs }: Transport, query: Buffer, read: Read): Promise<Response> {
  const socket = connect({ host: server.address, port: server.port });
  const answer = new Promise<Response>((resolve, reject) => {
    let received = Buffer.alloc(0);
    const readMessage = (message: Buffer): Response => {
      const response = read(message);
      if (response === undefined || response.isTruncated)
        throw new MalformedResponse('the response over TCP is no answer');
      return response;
    };
    socket.on('error', reject).on('close', () => reject(new MalformedResponse('the connection ended early')));
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      const end = received.length < 2 ? Infinity : 2 + received.readUInt16BE(0);
      if (received.length >= end) resolve(Promise.resolve(received.subarray(2, end)).then(readMessage));
    });
    socket.write(Buffer.concat([Buffer.from([query.length >> 8, query.length & 0xff]), query]));
  });
  return withTimeout(answer, timeoutMs).finally(() => socket.destroy());
}

const DNS_PORT = 53;

/** `ip`, `ip:port` or `[ip]:port`. */
function addressOf(server: string): Ask['server'] {
  if (isIP(server) !== 0) return { address: server, port: DNS_PORT };
  const colon = server.lastIndexOf(':');
  return { address: server.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(server.slice(colon + 1)) };
}
