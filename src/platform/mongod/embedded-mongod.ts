import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { connectionUri, REPLICA_SET_NAME, writeConnection, type Connection } from './data-dir.js';
import { isPortFree } from './free-port.js';
import { beginSetup, keepKeyFile, keyFile, recallConnection, withFreePort } from './mongod-connection.js';
import { lastWords, logSize, setAsideLargeLog } from './mongod-log.js';
import { endOrphans } from './mongod-orphan.js';
import { spawnMongod, type MongodExit, type MongodProcess } from './mongod-process.js';
import { resumeReplicaSet, setUpReplicaSet, untilListening } from './mongod-setup.js';

export interface EmbeddedMongodOptions {
  /** Locked by the caller (`lockDataDir`). Holds db/, mongod.log, mongod.json and mongod.key. */
  dataDir: string;
  /** A mongod that runs here (`provideMongod`). */
  binary: string;
  /** WiredTiger's cache in GB, at least 0.25. */
  cacheGb?: number;
  log?: (line: string) => void;
}

export interface EmbeddedMongod {
  /** With the password: never log it. */
  readonly uri: string;
  readonly pid: number;
  readonly port: number;
  /** Resolves when mongod ends, whether asked to or not. */
  readonly exited: Promise<MongodExit>;
  /** A clean shutdown, at most 30 s. May be called more than once. */
  stop(): Promise<void>;
}

/** mongod could not be brought up. The message quotes its log. */
export class MongodStartFailed extends Error {
  override readonly name = 'MongodStartFailed';
}

/** From a crash with much to recover it may take a while; longer than this something is wrong. */
const START_TIMEOUT_MS = 5 * 60_000;
const LOG_CHECK_MS = 10 * 60_000;
const DEFAULT_CACHE_GB = 0.5;
const PORT_ATTEMPTS = 3;

/**
 * Starts mongod on `dataDir` as a replica set of one with journal and credentials, and waits until it takes writes.
 *
 * A crash may come at any moment, so each thing is written down before it happens: port and password before mongod
 * first runs, `setup: done` after the user exists in it. A database whose setup is still pending has never been handed
 * to anyone, holds nothing, and is made anew.
 * @throws MongodStartFailed
 */
export async function startEmbeddedMongod(options: EmbeddedMongodOptions): Promise<EmbeddedMongod> {
  const { log = () => undefined } = options;
  await mkdir(options.dataDir, { recursive: true, mode: 0o700 });
  // mongod may resolve links itself; the orphan check compares this path with its command line.
  const dataDir = await realpath(options.dataDir);
  const dbPath = join(dataDir, 'db');
  let connection = await recallConnection(dataDir, dbPath);
  for (const pid of await endOrphans(dbPath, connection?.pid ?? null))
    log(`ended mongod (process ${pid}), which had outlived its gateway`);

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
    await bringUp(child, current);
    current = { ...current, setup: 'done' };
    await writeConnection(dataDir, current);
  } catch (error) {
    // Before the stop, which has much to say itself.
    const words = await lastWords(logFile, logStart);
    await child.stop();
    throw new MongodStartFailed(
      `mongod did not start: ${(error as Error).message}\nThe end of ${logFile}:\n${words}`,
      { cause: error },
    );
  }
  log(`mongod (process ${child.pid}) takes writes on 127.0.0.1:${current.port}`);
  const logChecks = setInterval(() => void trimLog(child, logFile), LOG_CHECK_MS).unref();
  void child.exited.then(() => clearInterval(logChecks));
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await child.stop();
    // Only a courtesy: a pid that is left there is checked before it is believed. A full disk must not fail a stop.
    await writeConnection(dataDir, { ...current, pid: null }).catch((error: unknown) => {
      log(`mongod.json keeps the pid of a mongod that has ended: ${String(error)}`);
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

/** Throws as soon as mongod exits, so that a failed start is known at once. */
async function bringUp(child: MongodProcess, connection: Connection): Promise<void> {
  const gone = new AbortController();
  const signal = AbortSignal.any([gone.signal, AbortSignal.timeout(START_TIMEOUT_MS)]);
  const exit = child.exited.then(({ code, signal: name }) => {
    gone.abort();
    throw new Error(`it exited ${name === null ? `with code ${String(code)}` : `on ${name}`}`);
  });
  const work = async (): Promise<void> => {
    await untilListening(connection.port, signal);
    if (connection.setup === 'done') await resumeReplicaSet(connection, signal);
    else await setUpReplicaSet(connection, signal);
  };
  // After a success the exit is the caller's affair.
  exit.catch(() => undefined);
  await Promise.race([work(), exit]);
}

async function trimLog(child: MongodProcess, logFile: string): Promise<void> {
  // SIGUSR1 makes mongod open its log anew, under `--logRotate reopen`.
  if (await setAsideLargeLog(logFile)) child.signal('SIGUSR1');
}

function mongodArgs(dataDir: string, dbPath: string, port: number, cacheGb: number): string[] {
  return [
    ...['--dbpath', dbPath, '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'],
    ...['--replSet', REPLICA_SET_NAME, '--keyFile', keyFile(dataDir), '--oplogSize', '1024'],
    ...['--logpath', join(dataDir, 'mongod.log'), '--logappend', '--logRotate', 'reopen', '--quiet'],
    ...['--wiredTigerCacheSizeGB', String(cacheGb)],
    // Nothing that compresses is asked here, and mongod before 8.0.17 discloses memory to unauthenticated clients (CVE-2025-14847).
    ...['--networkMessageCompressors', 'disabled'],
    // Up to 200 MB of files that only MongoDB's support can read.
    ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  ];
}
