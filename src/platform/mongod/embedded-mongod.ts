import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import {
  beginSetup,
  connectionUri,
  isPortFree,
  keepKeyFile,
  keyFile,
  recallConnection,
  REPLICA_SET_NAME,
  withFreePort,
  writeConnection,
  type Connection,
} from './mongod-connection.js';
import { lastWords, logSize, setAsideLargeLog } from './mongod-log.js';
import { endOrphans, spawnMongod, type MongodExit, type MongodProcess } from './mongod-process.js';

export interface EmbeddedMongodOptions {
  /** Locked by the caller (`lockDataDir`). Contains db/, mongod.log, mongod.json and mongod.key. */
  dataDir: string;
  /** The path of a mongod that runs on this system (`provideMongod`). */
  binary: string;
  /** The size of WiredTiger's cache in GB, at least 0.25. */
  cacheGb?: number;
  log?: (line: string) => void;
  /** Called once mongod runs. It does not answer for most of a second then, and may not mind if this process is busy. */
  meanwhile?: () => Promise<unknown>;
}

export interface EmbeddedMongod {
  /** Contains the password: never log it. */
  readonly uri: string;
  readonly pid: number;
  readonly port: number;
  /** Resolves when mongod ends, whether requested or not. */
  readonly exited: Promise<MongodExit>;
  /** Shuts mongod down cleanly, or kills it after 30 s. Safe to call more than once. */
  stop(): Promise<void>;
}

/** mongod did not start. The message quotes its log. */
export class MongodStartFailed extends Error {
  override readonly name = 'MongodStartFailed';
}

/** Recovery after a crash can take minutes. A start that takes longer than this has failed. */
const START_TIMEOUT_MS = 5 * 60_000;
const LOG_CHECK_MS = 10 * 60_000;
const DEFAULT_CACHE_GB = 0.5;
const PORT_ATTEMPTS = 3;

/**
 * Starts mongod on `dataDir` as a replica set of one, with journal and credentials. Resolves once mongod accepts
 * writes.
 *
 * A crash can happen at any time, so each step is recorded first: port and password before mongod first runs, `setup:
 * done` after the user exists. A database whose setup is pending has never been returned to a caller and holds no data,
 * so it is deleted and created again.
 * @throws MongodStartFailed
 */
export async function startEmbeddedMongod(options: EmbeddedMongodOptions): Promise<EmbeddedMongod> {
  const { log = () => undefined } = options;
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  // Resolve links here, because mongod may resolve them too and the orphan check compares this path with mongod's
  // command line.
  const dataDir = await realpath(options.dataDir);
  const dbPath = join(dataDir, 'db');
  let connection = await recallConnection(dataDir, dbPath);
  for (const pid of await endOrphans(dbPath, connection?.pid ?? null))
    log(`Stopped mongod (pid ${pid}), which a previous gateway left running`);

  connection = connection?.setup === 'done' ? connection : await beginSetup(dataDir, dbPath);

  for (let attempt = 1; ; attempt += 1) {
    connection = await withFreePort(dataDir, connection, log);
    try {
      return await launch({ ...options, dataDir, log }, dbPath, connection);
    } catch (error) {
      // Another program can take the port between the check and mongod's own bind.
      if (attempt === PORT_ATTEMPTS || (await isPortFree(connection.port))) throw error;
    }
    connection = connection.setup === 'done' ? connection : await beginSetup(dataDir, dbPath);
  }
}

async function launch(
  {
    dataDir,
    binary,
    cacheGb = DEFAULT_CACHE_GB,
    log,
    meanwhile,
  }: EmbeddedMongodOptions & { log: (line: string) => void },
  dbPath: string,
  connection: Connection,
): Promise<EmbeddedMongod> {
  const logFile = join(dataDir, 'mongod.log');
  await setAsideLargeLog(logFile);
  const logStart = await logSize(logFile);
  await mkdir(dbPath, { recursive: true, mode: 0o700 });
  await keepKeyFile(dataDir);
  const child = await spawnMongod(binary, mongodArgs(dataDir, dbPath, connection.port, cacheGb), logFile);
  let current: Connection = { ...connection, pid: child.pid };
  try {
    await writeConnection(dataDir, current);
    await meanwhile?.();
    await bringUp(child, current);
    current = { ...current, setup: 'done' };
    await writeConnection(dataDir, current);
  } catch (error) {
    // Read the log before the stop, which writes many lines itself.
    const words = await lastWords(logFile, logStart);
    await child.stop();
    throw new MongodStartFailed(
      `mongod did not start: ${(error as Error).message}\nThe end of ${logFile}:\n${words}`,
      { cause: error },
    );
  }
  log(`MongoDB is ready on 127.0.0.1:${current.port} (pid ${child.pid})`);
  const logChecks = setInterval(() => void trimLog(child, logFile), LOG_CHECK_MS).unref();
  void child.exited.then(() => clearInterval(logChecks));
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await child.stop();
    // Clearing the pid is optional: a leftover pid is verified before use. A full disk must not make the stop fail.
    await writeConnection(dataDir, { ...current, pid: null }).catch((error: unknown) => {
      log(`Could not remove the pid of the stopped mongod from mongod.json: ${String(error)}`);
    });
  };
  return {
    uri: connectionUri(current),
    pid: child.pid,
    port: current.port,
    exited: child.exited,
    stop: () => (stopped ??= stop()),
  };
}

/**
 * Waits until mongod accepts writes. @throws Error as soon as mongod exits, so that a failed start does not wait for
 * the timeout
 */
async function bringUp(child: MongodProcess, connection: Connection): Promise<void> {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  const exit = child.exited.then(({ code, signal: name }) => {
    gone.abort();
    throw new Error(`it exited ${name === null ? `with code ${String(code)}` : `on ${name}`}`);
  });
  const work = async (): Promise<void> => {
    // The driver is loaded here and not before mongod has been started: both take long, and mongod needs nobody.
    const { resumeReplicaSet, setUpReplicaSet, untilListening } = await import('./mongod-setup.js');
    await untilListening(connection.port, signal);
    if (connection.setup === 'done') await resumeReplicaSet(connection, signal);
    else await setUpReplicaSet(connection, signal);
  };
  // After a successful start, the caller handles the exit (`exited`).
  exit.catch(() => undefined);
  await Promise.race([work(), exit]);
}

async function trimLog(child: MongodProcess, logFile: string): Promise<void> {
  // With `--logRotate reopen`, SIGUSR1 makes mongod reopen its log file.
  if (await setAsideLargeLog(logFile)) child.signal('SIGUSR1');
}

function mongodArgs(dataDir: string, dbPath: string, port: number, cacheGb: number): string[] {
  return [
    ...['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'],
    ...['--replSet', REPLICA_SET_NAME, '--keyFile', keyFile(dataDir), '--oplogSize', '1024'],
    ...['--logpath', join(dataDir, 'mongod.log'), '--logappend', '--logRotate', 'reopen', '--quiet'],
    ...['--wiredTigerCacheSizeGB', String(cacheGb)],
    // Local traffic needs no compression, and mongod before 8.0.17 discloses memory to unauthenticated clients through
    // it (CVE-2025-14847).
    ...['--networkMessageCompressors', 'disabled'],
    // At each start, WiredTiger reads the last file of its journal to the end. The default is 100 MB of mostly zeros.
    ...['--wiredTigerEngineConfigString', 'log=(file_max=10MB)'],
    // Saves up to 200 MB of diagnostic files that only MongoDB's support can read.
    ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  ];
}
