import { connect } from 'node:net';
import os from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { connectionUri, REPLICA_SET_NAME, type Connection } from './data-dir.js';
import { AUTHENTICATION_FAILED, hasCode, NOT_YET_INITIALIZED } from '../mongo/error-codes.js';

const COMMAND_TIMEOUT_MS = 10_000;
const POLL_MS = 25;

/** Resolves once something listens on 127.0.0.1:port, which mongod does when it has recovered its files. */
export async function untilListening(port: number, signal: AbortSignal): Promise<void> {
  while (!(await answers(port))) await delay(POLL_MS, undefined, { signal });
}

/**
 * First start: makes the replica set and its only user, both allowed once from localhost without credentials. Then
 * proves that the credentials work.
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
 * Later starts: the replica set remembers its address. If mongod had to move to another port it does not recognise
 * itself, and only a forced reconfiguration brings it back.
 * @returns whether the address had to be changed.
 * @throws Error when the credentials in `mongod.json` are not those of the database.
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
 * mongod answers NotYetInitialized while it looks for itself under the remembered address. Where another program
 * listens there without answering, that takes mongod a while.
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
  // The driver would load os by a dynamic import, which CommonJS sandboxes (Jest's) do not have.
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

/** Straight to this one server: before it is a primary, a search for the replica set would not find it. */
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
