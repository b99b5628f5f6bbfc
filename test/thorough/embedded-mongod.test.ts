import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { mongo } from 'mongoose';
import { readConnection } from '../../src/platform/mongod/mongod-connection.js';
import { ids, insert, useEmbedded } from '../support/use-embedded.js';

const embedded = useEmbedded();

test('a first start gives a writable replica set whose secrets only the owner can read', async () => {
  const mongod = await embedded.start();
  await insert(mongod.uri, 'a');
  await expect(ids(mongod.uri)).resolves.toEqual(['a']);
  expect(mongod.uri).toContain('replicaSet=pets&authSource=admin');
  for (const name of ['mongod.json', 'mongod.key'])
    expect((await stat(join(embedded.dataDir(), name))).mode & 0o777).toBe(0o600);
});

test('a restart keeps port, credentials and content', async () => {
  const first = await embedded.start();
  await insert(first.uri, 'a');
  await first.stop();
  await expect(first.exited).resolves.toEqual({ code: 0, signal: null });
  expect((await readConnection(embedded.dataDir()))?.pid).toBeNull();
  const second = await embedded.start();
  expect(second.uri).toBe(first.uri);
  await expect(ids(second.uri)).resolves.toEqual(['a']);
});

test('a wrong password and no password are refused', async () => {
  const { uri } = await embedded.start();
  await expect(ids(uri.replace(/:[^:@]+@/, ':wrong@'))).rejects.toThrow('Authentication failed');
  await expect(ids(uri.replace(/\/\/.*@/, '//'))).rejects.toThrow('requires authentication');
});

test('compressed messages are rejected: they disclose memory to unauthenticated clients (CVE-2025-14847)', async () => {
  const { port } = await embedded.start();
  const hello = helloMessage();
  // The same question is answered when it is not compressed.
  expect((await answerTo(port, hello)).length).toBeGreaterThan(100);
  expect(await answerTo(port, compressed(hello, hello.length - HEADER_BYTES))).toHaveLength(0);
  // As the attack does: it claims to be longer than it is.
  expect(await answerTo(port, compressed(hello, 16_384))).toHaveLength(0);
});

describe('a port that another program has taken', () => {
  let other: Server;
  afterEach(() => other.close());

  test('makes mongod move, with its content', async () => {
    const first = await embedded.start();
    await insert(first.uri, 'a');
    await first.stop();
    other = createServer((socket) => socket.destroy()).listen(first.port, '127.0.0.1');
    const second = await embedded.start();
    expect(second.port).not.toBe(first.port);
    await expect(ids(second.uri)).resolves.toEqual(['a']);
    await second.stop();
    // The new address is the remembered one from now on.
    await expect(embedded.start()).resolves.toMatchObject({ port: second.port });
  });
});

describe('a start that fails', () => {
  test('quotes what mongod logged', async () => {
    await (await embedded.start()).stop();
    await writeFile(join(embedded.dbPath(), 'WiredTiger.turtle'), 'not a turtle');
    await expect(embedded.start()).rejects.toThrow(
      /mongod did not start: it exited[^]*mongod\.log[^]*WiredTiger/,
    );
  });

  test('refuses to guess when the file with the password is gone', async () => {
    await (await embedded.start()).stop();
    await rm(join(embedded.dataDir(), 'mongod.json'));
    await expect(embedded.start()).rejects.toThrow('Restore that file from a backup');
  });

  test('says so when the password is not the database’s', async () => {
    await (await embedded.start()).stop();
    const file = join(embedded.dataDir(), 'mongod.json');
    const connection = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...connection, password: 'another' }));
    await expect(embedded.start()).rejects.toThrow('the user and password in mongod.json are not those');
  });
});

const HEADER_BYTES = 16;
const OP_COMPRESSED = 2012;
const OP_MSG = 2013;
const ZLIB = 2;

/** `hello` as OP_MSG, of MongoDB's wire protocol. */
function helloMessage(): Buffer {
  const body = mongo.BSON.serialize({ hello: 1, $db: 'admin' });
  return message(OP_MSG, Buffer.concat([Buffer.alloc(5), body]));
}

function compressed(original: Buffer, claimedBytes: number): Buffer {
  const start = Buffer.alloc(9);
  start.writeInt32LE(OP_MSG, 0);
  start.writeInt32LE(claimedBytes, 4);
  start.writeUInt8(ZLIB, 8);
  return message(OP_COMPRESSED, Buffer.concat([start, deflateSync(original.subarray(HEADER_BYTES))]));
}

function message(opCode: number, body: Buffer): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + body.length, 0);
  header.writeInt32LE(1, 4);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, body]);
}

/** The first bytes of the answer; none when mongod ends the connection without one. */
async function answerTo(port: number, request: Buffer): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1');
  try {
    socket.write(request);
    for await (const chunk of socket) return chunk as Buffer;
    return Buffer.alloc(0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNRESET') return Buffer.alloc(0);
    throw error;
  } finally {
    socket.destroy();
  }
}
