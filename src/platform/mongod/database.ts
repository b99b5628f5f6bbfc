import type { Connection } from 'mongoose';
import { MongoUnusable } from '../mongo/mongo-unusable.js';
import { DataDirInUse, lockDataDir } from './data-dir.js';
import { connectionUri, readConnection } from './mongod-connection.js';
import { startEmbeddedMongod } from './embedded-mongod.js';
import { provideMongod } from './mongod-binary.js';
import { describeEnd } from './mongod-process.js';
import type { Download } from './mongod-source.js';

export interface Database {
  connection: Connection;
  /** The connection URI, with credentials. */
  uri: string;
  /** Whether the gateway runs this mongod itself, in DATA_DIR. */
  embedded: boolean;
  /** Resolves with the reason when an embedded mongod ends unexpectedly; otherwise stays pending. */
  lost: Promise<string>;
  /** Closes the connection, then stops the embedded mongod, then unlocks the data directory. */
  close: () => Promise<void>;
}

export interface ConnectSettings {
  /** Staging uses a separate database on the same server. */
  environment: 'production' | 'staging';
  /** Commands are monitored when traces are exported, so when this is set. */
  otlp: object | undefined;
}

export interface DatabaseSettings extends ConnectSettings {
  /** Undefined for an embedded mongod in `dataDir`. */
  mongodbUri: string | undefined;
  dataDir: string;
  mongodBinary: string | undefined;
  cacheDir: string;
  /** Where to look for mongod: the value of PATH. */
  path: string;
}

export interface OpenOptions {
  /** Receives one line for each slow step. */
  progress: (line: string) => void;
  onDownload?: (download: Download) => void;
  /** For the command line: connect to the database of a running gateway instead of failing with DataDirInUse. */
  join: boolean;
  /** Called once an embedded mongod is on its way: its start takes longer than most work that can be done meanwhile. */
  meanwhile?: () => Promise<unknown>;
}

const NEVER = new Promise<never>(() => undefined);
/** Milliseconds. Also how long a request waits for an unreachable MongoDB before it gets a 503. */
const SELECTION_MS = 3000;

/** @throws MongoUnusable */
export async function connectTo({ environment, otlp }: ConnectSettings, uri: string): Promise<Connection> {
  // Not loaded before: see startEmbeddedMongod.
  const { connectMongo } = await import('../mongo/connection.js');
  return connectMongo({
    uri,
    defaultDatabase: 'pets',
    databaseSuffix: environment === 'staging' ? '_staging' : '',
    selectionTimeoutMs: SELECTION_MS,
    monitorCommands: otlp !== undefined,
  });
}

/**
 * Opens the database of the settings: MONGODB_URI, or an embedded mongod in DATA_DIR.
 * @throws MongoUnusable, DataDirInUse, MongodNotFound, MongodStartFailed
 */
export async function openDatabase(
  config: DatabaseSettings,
  { progress, onDownload, join, meanwhile }: OpenOptions,
): Promise<Database> {
  if (config.mongodbUri !== undefined) {
    const connection = await connectTo(config, config.mongodbUri);
    return {
      connection,
      uri: config.mongodbUri,
      embedded: false,
      lost: NEVER,
      close: () => connection.close(),
    };
  }

  const lock = await lockDataDir(config.dataDir).catch((error: unknown) => {
    if (join && error instanceof DataDirInUse) return undefined;
    throw error;
  });
  if (lock === undefined) {
    const running = await readConnection(config.dataDir);
    if (running?.pid == null || running.setup === 'pending')
      throw new MongoUnusable(
        `the gateway that uses ${config.dataDir} is still starting; try again in a moment`,
      );
    const uri = connectionUri(running);
    const connection = await connectTo(config, uri);
    return { connection, uri, embedded: true, lost: NEVER, close: () => connection.close() };
  }

  try {
    const binary = await provideMongod({
      ...(config.mongodBinary !== undefined && { given: config.mongodBinary }),
      cacheDir: config.cacheDir,
      path: config.path,
      progress,
      ...(onDownload && { onDownload }),
    });
    const mongod = await startEmbeddedMongod({
      dataDir: config.dataDir,
      binary,
      log: progress,
      ...(meanwhile && { meanwhile }),
    });
    try {
      const connection = await connectTo(config, mongod.uri);
      let closing = false;
      return {
        connection,
        uri: mongod.uri,
        embedded: true,
        lost: mongod.exited.then((exit) => (closing ? NEVER : describeEnd(exit, config.dataDir))),
        close: async () => {
          closing = true;
          await connection.close();
          await mongod.stop();
          await lock.release();
        },
      };
    } catch (error) {
      await mongod.stop();
      throw error;
    }
  } catch (error) {
    await lock.release();
    throw error;
  }
}
