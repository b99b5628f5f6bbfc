import { randomBytes } from 'node:crypto';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readConnection, writeConnection, type Connection } from './data-dir.js';
import { chooseFreePort, isPortFree } from './free-port.js';
import { writePrivateFile } from './private-file.js';

/**
 * The connection of an earlier start, or undefined.
 * @throws Error when there is a database but no `mongod.json` with its password
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

/** Removes the files of an unfinished setup, and records port and password before mongod first runs. */
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

/** Returns the connection, moved to a free port if another program uses its port. */
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

/** The key with which members of a replica set authenticate each other. With one member, a lost key can be replaced. */
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
