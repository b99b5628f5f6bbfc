import os from 'node:os';
import mongoose, { type Connection } from 'mongoose';
import { serviceUnavailable } from '../../lib/errors.js';

// Every model call inside connection.transaction() belongs to it, without a session handed down to each store.
mongoose.set('transactionAsyncLocalStorage', true);

/**
 * Also, with the driver's 10 s between two looks at a server, what it takes to notice that a network swallows
 * everything; what waits on its connections is given up then.
 */
const CONNECT_TIMEOUT_MS = 5000;
/** Silence on a connection that owes an answer. No request waits for that (in-time.ts); index builds do. */
const SILENCE_MS = 30_000;

/** MongoDB cannot be used as it is: unreachable, refusing the credentials, or a standalone. */
export class MongoUnusable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'MongoUnusable';
  }
}

export interface ConnectSettings {
  uri: string;
  /** Used when the URI names no database. */
  defaultDatabase: string;
  /** Appended to the database of the URI, so that two environments can share a server. */
  databaseSuffix: string;
  /** How long to look for a server that answers, and then for a connection that is free, milliseconds. */
  selectionTimeoutMs: number;
  /** Whether the client tells of each command that it sends. */
  monitorCommands?: boolean;
}

/**
 * Connects to a replica set or sharded cluster: change streams and majority writes need one.
 * int64 is read as bigint everywhere on this connection.
 *
 * @throws MongoUnusable with what is wrong, without the password that the URI may carry
 */
export async function connectMongo(settings: ConnectSettings): Promise<Connection> {
  const { uri, selectionTimeoutMs, monitorCommands = false } = settings;
  const connection = mongoose.createConnection();
  try {
    await connection.openUri(uri, {
      dbName: databaseName(settings),
      useBigInt64: true,
      serverSelectionTimeoutMS: selectionTimeoutMs,
      waitQueueTimeoutMS: selectionTimeoutMs,
      connectTimeoutMS: CONNECT_TIMEOUT_MS,
      socketTimeoutMS: SILENCE_MS,
      maxPoolSize: 100,
      monitorCommands,
      autoIndex: false,
      autoCreate: false,
      // Mongoose would hold back what is asked of a set without a primary for 10 s, then fail with an error of no name.
      bufferCommands: false,
      // Left to itself, the driver loads this by a dynamic import, which CommonJS sandboxes (Jest's) do not have.
      runtimeAdapters: { os },
    });
  } catch (error) {
    await connection.destroy(true).catch(() => undefined);
    throw new MongoUnusable(
      `cannot connect to MongoDB at ${withoutPassword(uri)}: ${reasonOf(error).replace(/\.$/, '')}. ` +
        'Check that it runs, and that MONGODB_URI has its address, user and password.',
      error,
    );
  }
  const hello = await connection.getClient().db('admin').command({ hello: 1 });
  if (hello['setName'] === undefined && hello['msg'] !== 'isdbgrid') {
    await connection.destroy(true);
    throw new MongoUnusable(
      `MongoDB at ${withoutPassword(uri)} is a standalone server; the gateway needs a replica set ` +
        '(one node is enough: start mongod with --replSet rs0, then rs.initiate()) or a sharded cluster',
    );
  }
  return connection;
}

/** How long a transaction is begun anew: the driver would for two minutes, and its own limit has no effect any more. */
const TRANSACTION_MS = 5000;

/**
 * Runs all or nothing, again from the start when it collides with another; answers with what `run` answered last.
 * @throws ApiError service_unavailable when it goes on colliding, and what `run` throws
 */
export async function transact<T>(connection: Connection, run: () => Promise<T>): Promise<T> {
  const giveUpAtMs = performance.now() + TRANSACTION_MS;
  let result: { value: T } | undefined;
  await connection.transaction(async () => {
    // No error of the driver's, so that it does not try again.
    if (performance.now() > giveUpAtMs) throw serviceUnavailable('The database did not answer in time.');
    result = { value: await run() };
  });
  if (result === undefined) throw new Error('the transaction ran nothing');
  return result.value;
}

/** How far MongoDB's clock is ahead of ours, milliseconds; negative: behind. Good to half the round trip. */
export async function clockOffsetMs(connection: Connection): Promise<number> {
  const before = Date.now();
  const { localTime } = await connection.getClient().db('admin').command({ hello: 1 });
  return (localTime as Date).getTime() - (before + Date.now()) / 2;
}

/** The version of the server, such as `8.0.17`. */
export async function mongodbVersion(connection: Connection): Promise<string> {
  const { version } = await connection.getClient().db('admin').command({ buildInfo: 1 });
  return String(version);
}

function databaseName({ uri, defaultDatabase, databaseSuffix }: ConnectSettings): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]*)/.exec(uri)?.[1];
  return decodeURIComponent(path === undefined || path === '' ? defaultDatabase : path) + databaseSuffix;
}

/** `mongodb://user:***@host/db`. Up to the last `@`: people forget to escape one in a password. */
export function withoutPassword(uri: string): string {
  return uri.replace(/^(mongodb(?:\+srv)?:\/\/[^:@/]*):.*@/s, '$1:***@');
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
