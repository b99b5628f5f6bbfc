import type { AsyncLocalStorage } from 'node:async_hooks';
import os from 'node:os';
import mongoose, { type Connection } from 'mongoose';
import { serviceUnavailable } from '../../lib/errors.js';
import { offWhileUnused } from '../../lib/off-while-unused.js';
import { MongoUnusable } from './mongo-unusable.js';

// Model calls inside connection.transaction() join that transaction, so stores need no session parameter.
mongoose.set('transactionAsyncLocalStorage', true);
// Mongoose's types do not have it.
const { transactionAsyncLocalStorage } = mongoose as unknown as {
  transactionAsyncLocalStorage: AsyncLocalStorage<{ session: mongoose.mongo.ClientSession }>;
};
const beginTransaction = offWhileUnused(transactionAsyncLocalStorage);

/**
 * The session of the transaction that the caller is in. Stores that use the driver directly pass it on. Do not call it
 * in work that several requests share.
 */
export function currentSession(): mongoose.mongo.ClientSession | undefined {
  return transactionAsyncLocalStorage.getStore()?.session;
}

/**
 * Milliseconds. Also bounds how long the driver takes to notice a network that drops all packets: this plus the 10 s
 * between two server checks. The driver then fails the operations that wait on the server's connections.
 */
const CONNECT_TIMEOUT_MS = 5000;
/**
 * How long a connection with an outstanding reply may be silent, milliseconds. Requests time out earlier (in-time.ts);
 * index builds do wait this long.
 */
const SILENCE_MS = 30_000;

export interface ConnectSettings {
  uri: string;
  /** The database to use when the URI names none. */
  defaultDatabase: string;
  /** Appended to the name of the database, so that two environments can share a server. */
  databaseSuffix: string;
  /** How long to wait for a server that answers, and then for a free connection, in milliseconds each. */
  selectionTimeoutMs: number;
  /** Whether the client emits an event for each command that it sends. */
  monitorCommands?: boolean;
}

/**
 * Connects to a replica set or sharded cluster: change streams and majority writes need one.
 * Every int64 read on this connection is a bigint.
 *
 * @throws MongoUnusable with the reason; the message omits the password of the URI
 */
export async function connectMongo(settings: ConnectSettings): Promise<Connection> {
  const { uri, selectionTimeoutMs, monitorCommands = false } = settings;
  const connection = mongoose.createConnection();
  try {
    await connection.openUri(uri, {
      dbName: databaseName(settings),
      useBigInt64: true,
      ...unlessInUri(uri, {
        serverSelectionTimeoutMS: selectionTimeoutMs,
        waitQueueTimeoutMS: selectionTimeoutMs,
        connectTimeoutMS: CONNECT_TIMEOUT_MS,
        socketTimeoutMS: SILENCE_MS,
        maxPoolSize: 100,
      }),
      monitorCommands,
      autoIndex: false,
      autoCreate: false,
      // Otherwise Mongoose buffers operations for 10 s while there is no primary, then fails with an unspecific error.
      bufferCommands: false,
      // By default the driver loads os by a dynamic import, which CommonJS sandboxes (Jest's) do not support.
      runtimeAdapters: { os },
    });
  } catch (error) {
    await connection.destroy(true).catch(() => undefined);
    throw new MongoUnusable(
      `cannot connect to MongoDB at ${withoutPassword(uri)}: ` +
        (wrongSet(error) ??
          `${reasonOf(error).replace(/\.$/, '')}. ` +
            'Check that MongoDB runs, and that MONGODB_URI has its address, user and password.'),
      error,
    );
  }
  const hello = await connection.getClient().db('admin').command({ hello: 1 });
  if (hello['setName'] === undefined && hello['msg'] !== 'isdbgrid') {
    await connection.destroy(true);
    if (hello['isreplicaset'] === true)
      throw new MongoUnusable(`cannot connect to MongoDB at ${withoutPassword(uri)}: ${NOT_INITIATED}`);
    throw new MongoUnusable(
      `MongoDB at ${withoutPassword(uri)} is a standalone server; the gateway needs a replica set ` +
        '(one node is enough: start mongod with --replSet rs0, then rs.initiate()) or a sharded cluster',
    );
  }
  return connection;
}

/**
 * How long to retry a transaction, milliseconds. The driver would retry for two minutes; its own time limit no longer
 * has an effect.
 */
const TRANSACTION_MS = 5000;

/**
 * Runs `run` in a transaction, and runs it again from the start after a conflict. Resolves with the result of the last
 * run.
 * @throws ApiError service_unavailable when conflicts continue for 5 s; errors of `run`
 */
export async function transact<T>(connection: Connection, run: () => Promise<T>): Promise<T> {
  const giveUpAtMs = performance.now() + TRANSACTION_MS;
  let result: { value: T } | undefined;
  const end = beginTransaction();
  try {
    await connection.transaction(async () => {
      // An error that is not the driver's, so that the driver does not retry.
      if (performance.now() > giveUpAtMs) throw serviceUnavailable('The database did not answer in time.');
      result = { value: await run() };
    });
  } finally {
    end();
  }
  if (result === undefined) throw new Error('the transaction ran nothing');
  return result.value;
}

/**
 * How far MongoDB's clock is ahead of this process's, in milliseconds; negative if behind. Accurate to half the round
 * trip.
 */
export async function clockOffsetMs(connection: Connection): Promise<number> {
  const before = Date.now();
  const { localTime } = await connection.getClient().db('admin').command({ hello: 1 });
  return (localTime as Date).getTime() - (before + Date.now()) / 2;
}

/** The version of the server, for example `8.0.17`. */
export async function mongodbVersion(connection: Connection): Promise<string> {
  const { version } = await connection.getClient().db('admin').command({ buildInfo: 1 });
  return String(version);
}

/** The options that the URI does not set: to the driver, options given in code count more than those of the URI. */
function unlessInUri(uri: string, options: Record<string, number>): Record<string, number> {
  const query = new URLSearchParams(/\?(.*)$/s.exec(uri)?.[1] ?? '');
  const inUri = new Set([...query.keys()].map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(options).filter(([name]) => !inUri.has(name.toLowerCase())));
}

function databaseName({ uri, defaultDatabase, databaseSuffix }: ConnectSettings): string {
  const path = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]*)/.exec(uri)?.[1];
  return decodeURIComponent(path === undefined || path === '' ? defaultDatabase : path) + databaseSuffix;
}

/**
 * Returns the URI with its password masked: `mongodb://user:***@host/db`. Masks up to the last `@`, because passwords
 * often contain an unescaped `@`.
 */
function withoutPassword(uri: string): string {
  return uri.replace(/^(mongodb(?:\+srv)?:\/\/[^:@/]*):.*@/s, '$1:***@');
}

const NOT_INITIATED =
  'MongoDB runs there, but its replica set is not initiated. Run rs.initiate() once in mongosh.';

/** What is wrong with the replica set, if MongoDB answered; otherwise undefined. */
function wrongSet(error: unknown): string | undefined {
  if (!(error instanceof mongoose.Error.MongooseServerSelectionError)) return undefined;
  const { servers, setName } = error.cause as mongoose.mongo.TopologyDescription;
  if ([...servers.values()].some(({ type }) => type === 'RSGhost')) return NOT_INITIATED;
  // The driver drops a server only when it answers, and with another name than `replicaSet` has. It keeps silent ones.
  if (servers.size > 0 || setName === null) return undefined;
  return (
    `MongoDB runs there, but it is no member of the replica set ${setName}. ` +
    'Correct replicaSet in MONGODB_URI: in mongosh, rs.status().set has the name.'
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
