import { randomBytes } from 'node:crypto';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readConnection, writeConnection, type Connection } from './data-dir.js';
import { chooseFreePort, isPortFree } from './free-port.js';
import { writePrivateFile } from './private-file.js';

/**
 * The connection of an earlier start, if there was one.
 * @throws Error when there is a database without its password.
 */
export async function recallConnection(dataDir: string, dbPath: string): Promise<Connection | undefined> {
  const connection = await readConnection(dataDir);
  if (connection === undefined && (await exists(dbPath)))
    throw new Error(
      `${dbPath} holds a database, but ${join(dataDir, 'mongod.json')} with its password is gone. ` +
        'Restore that file from a backup, or set DATA_DIR to an empty directory.',
    );

  return connection;
}

/** Clears what an unfinished setup left and writes down port and password before mongod first runs. */
export async function beginSetup(dataDir: string, dbPath: string): Promise<Connection> {
  const connection: Connection = {
    port: await chooseFreePort(),
    pid: null,
    user: 'gateway',
    password: randomBytes(24).toString('base64url'),
    setup: 'pending',
  };
  await writeConnection(dataDir, connection);
  await rm(dbPath, { recursive: true, force: true });
  return connection;
}

/** The same connection, on another port when its own is taken by another program. */
export async function withFreePort(
  dataDir: string,
  connection: Connection,
  log: (line: string) => void,
): Promise<Connection> {
  if (await isPortFree(connection.port)) return connection;
  const moved = { ...connection, port: await chooseFreePort() };
  log(
    `port ${connection.port} is taken by another program: mongod moves to ${moved.port} (at most half a minute)`,
  );
  await writeConnection(dataDir, moved);
  return moved;
}

export function keyFile(dataDir: string): string {
  return join(dataDir, 'mongod.key');
}

/** Members of a replica set know each other by this key. With one member, a lost one is simply made again. */
export async function keepKeyFile(dataDir: string): Promise<void> {
  if (!(await exists(keyFile(dataDir))))
    await writePrivateFile(keyFile(dataDir), `${randomBytes(96).toString('base64')}\n`);
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
