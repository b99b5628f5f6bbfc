import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { chooseFreePort } from '../support/free-port.js';
import { spawnMongod, type MongodProcess } from '../../src/platform/mongod/mongod-process.js';
import { testMongod } from '../support/mongod.js';
import type { Toxiproxy, Wire } from '../support/toxiproxy.js';
import { until } from '../support/until.js';

export interface ReplicaSetMember {
  /** Where it listens, `127.0.0.1:27017`. */
  host: string;
  /** The way by which the other members and the clients reach it, if it is not the direct one. */
  wire?: Wire;
  /** Once more on its port and files, after it has ended. */
  start(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** kill -9; its files stay. */
  kill(): Promise<void>;
  /** Resolves when it ends, for whatever reason. */
  exited(): Promise<unknown>;
}

export interface ReplicaSet {
  /** Names all members and a database. */
  uri: string;
  members: readonly ReplicaSetMember[];
  /** The one that takes writes; waits for an election. */
  primary(): Promise<ReplicaSetMember>;
  /** A command to one member's `admin` database. */
  command(member: ReplicaSetMember, command: mongo.BSON.Document): Promise<mongo.BSON.Document>;
  /** Ends all members and removes their files. */
  close(): Promise<void>;
}

export interface ReplicaSetOptions {
  members: number;
  /** Where the files go; a folder of its own unless said. It stays, what is put there is removed. */
  folder?: string;
  /** Members have a wire each, and these wires are their addresses in the replica set. */
  toxiproxy?: Toxiproxy;
}

const NAME = 'rs0';

/**
 * Real mongods that elect a primary among them, as set up for production but for their small caches and oplogs: the
 * election timeout is MongoDB's own 10 s.
 */
export async function startReplicaSet({
  members: count,
  folder,
  toxiproxy,
}: ReplicaSetOptions): Promise<ReplicaSet> {
  const home = await mkdtemp(join(folder ?? tmpdir(), 'pets-gateway-replica-set-'));
  const members: ReplicaSetMember[] = [];
  for (let i = 0; i < count; i++) members.push(await createMember(join(home, String(i)), toxiproxy));
  const close = async () => {
    await Promise.all(members.map((member) => member.kill()));
    await rm(home, { recursive: true, force: true });
  };
  try {
    await Promise.all(members.map((member) => member.start()));
    const [first] = members;
    if (first === undefined) throw new Error('a replica set has members');
    const config = { _id: NAME, members: members.map((member, _id) => ({ _id, host: addressOf(member) })) };
    await until('mongod to take the first command', () =>
      command(first, { replSetInitiate: config }).catch(() => undefined),
    );
    await primaryOf(members);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    uri: `mongodb://${members.map(addressOf).join(',')}/faults?replicaSet=${NAME}`,
    members,
    primary: () => primaryOf(members),
    command,
    close,
  };
}

/** In the replica set. */
const addressOf = ({ host, wire }: ReplicaSetMember) =>
  wire === undefined ? host : `127.0.0.1:${wire.port}`;

async function createMember(folder: string, toxiproxy?: Toxiproxy): Promise<ReplicaSetMember> {
  await mkdir(folder);
  const port = await chooseFreePort();
  const wire = await toxiproxy?.wireTo(port);
  const args = [
    ...['--dbpath', folder, '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'],
    ...['--replSet', NAME, '--oplogSize', '16', '--wiredTigerCacheSizeGB', '0.25', '--quiet'],
    ...['--logpath', join(folder, 'mongod.log'), '--logappend'],
    ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
    // For the command that stops replication.
    ...['--setParameter', 'enableTestCommands=1'],
  ];
  let running: MongodProcess | undefined;
  return {
    host: `127.0.0.1:${port}`,
    ...(wire && { wire }),
    async start() {
      running = await spawnMongod(await testMongod(), args, join(folder, 'output.log'));
    },
    signal: (name) => running?.signal(name),
    async kill() {
      running?.signal('SIGKILL');
      await running?.exited;
    },
    exited: async () => running?.exited,
  };
}

function primaryOf(members: readonly ReplicaSetMember[]): Promise<ReplicaSetMember> {
  const isPrimary = (member: ReplicaSetMember) =>
    command(member, { hello: 1 }).then(
      (hello) => hello['isWritablePrimary'] === true,
      () => false,
    );
  return until('a primary', async () => members[(await Promise.all(members.map(isPrimary))).indexOf(true)]);
}

async function command(
  { host }: ReplicaSetMember,
  document: mongo.BSON.Document,
): Promise<mongo.BSON.Document> {
  const client = new mongo.MongoClient(`mongodb://${host}/?directConnection=true`, {
    serverSelectionTimeoutMS: 500,
    socketTimeoutMS: 5000,
    runtimeAdapters: { os },
  });
  try {
    return await client.db('admin').command(document);
  } finally {
    await client.close();
  }
}
