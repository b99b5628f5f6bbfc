import { connect } from 'node:net';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { connectionUri, REPLICA_SET_NAME, type Connection } from './mongod-connection.js';
import { AUTHENTICATION_FAILED, hasCode, NOT_YET_INITIALIZED } from '../mongo/error-codes.js';

const COMMAND_TIMEOUT_MS = 10_000;
const POLL_MS = 25;

/** Resolves once a server listens on 127.0.0.1:port. mongod listens after it has recovered its files. */
export async function untilListening(port: number, signal: AbortSignal): Promise<void> {
  while (!(await answers(port))) await delay(POLL_MS, undefined, { signal });
}

/**
 * First start: creates the replica set and its only user, which mongod allows once from localhost without credentials.
 * Then verifies the credentials.
 */
export async function setUpReplicaSet(connection: Connection, signal: AbortSignal): Promise<void> {
  const { port, user, password } = connection;
  await withClient(anonymousUri(port), async (admin) => {
    const members = [{ _id: 0, host: host(port) }];
    await admin.command({ replSetInitiate: { _id: REPLICA_SET_NAME, members } });
    await untilWritable(admin, signal);
    await admin.command({
      createUser: user,
      pwd: password,
      roles: ['root'],
      writeConcern: { w: 'majority', j: true },
    });
  });
  await withClient(directUri(connection), (admin) => admin.command({ ping: 1 }));
}

/**
 * Later starts: the replica set stores its own address. After a move to another port, mongod does not recognize itself
 * as a member, and only a forced reconfiguration repairs the replica set.
 * @returns whether the address was changed
 * @throws Error when the credentials in `mongod.json` do not match the database
 */
export async function resumeReplicaSet(connection: Connection, signal: AbortSignal): Promise<boolean> {
  return withClient(directUri(connection), async (admin) => {
    const config = await readConfig(admin, signal);
    const [self] = config.members;
    if (self === undefined) throw new Error('the replica set has no members');
    const moved = self.host !== host(connection.port);
    if (moved) {
      const members = [{ ...self, host: host(connection.port) }];
      await admin.command({
        replSetReconfig: { ...config, version: config.version + 1, members },
        force: true,
      });
    }
    await untilWritable(admin, signal);
    return moved;
  });
}

interface ReplicaSetConfig {
  version: number;
  members: { host: string }[];
}

/**
 * Retries while mongod returns NotYetInitialized, which means that it is looking for itself at the stored address. This
 * takes a while if another program listens there without answering.
 */
async function readConfig(admin: mongo.Db, signal: AbortSignal): Promise<ReplicaSetConfig> {
  for (;;) {
    try {
      return ((await admin.command({ replSetGetConfig: 1 })) as { config: ReplicaSetConfig }).config;
    } catch (error) {
      if (!hasCode(error, NOT_YET_INITIALIZED)) throw error;
    }
    await delay(POLL_MS, undefined, { signal });
  }
}

async function untilWritable(admin: mongo.Db, signal: AbortSignal): Promise<void> {
  while ((await admin.command({ hello: 1 }))['isWritablePrimary'] !== true)
    await delay(POLL_MS, undefined, { signal });
}

async function withClient<T>(uri: string, use: (admin: mongo.Db) => Promise<T>): Promise<T> {
  // By default the driver loads os by a dynamic import, which CommonJS sandboxes (Jest's) do not support.
  const client = new mongo.MongoClient(uri, {
    serverSelectionTimeoutMS: COMMAND_TIMEOUT_MS,
    runtimeAdapters: { os },
  });
  try {
    return await use(client.db('admin'));
  } catch (error) {
    if (hasCode(error, AUTHENTICATION_FAILED))
      throw new Error('the user and password in mongod.json are not those of this database', {
        cause: error,
      });

    throw error;
  } finally {
    await client.close();
  }
}

/** Connects directly to this server: replica set discovery does not find it before it is a primary. */
function directUri(connection: Connection): string {
  return connectionUri(connection).replace(/replicaSet=[^&]+/, 'directConnection=true');
}

function anonymousUri(port: number): string {
  return `mongodb://${host(port)}/?directConnection=true`;
}

function host(port: number): string {
  return `127.0.0.1:${port}`;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
