import { randomBytes, randomInt } from 'node:crypto';
import { access, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from './private-file.js';

const connectionSchema = z.object({
  port: z.number().int().min(1).max(65535),
  /** null while no mongod is known to run. */
  pid: z.number().int().positive().nullable(),
  user: z.string().min(1),
  password: z.string().min(1),
  /** `pending` until the user exists in the database. Until then, nothing can have been stored. */
  setup: z.enum(['pending', 'done']),
});

/** How to connect to the embedded database: the content of `mongod.json` in the data directory. */
export type Connection = z.infer<typeof connectionSchema>;

export const REPLICA_SET_NAME = 'pets';

/** The connection URI for drivers. Contains the password: never log it. */
export function connectionUri({ port, user, password }: Connection): string {
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  return `mongodb://${credentials}@127.0.0.1:${port}/?replicaSet=${REPLICA_SET_NAME}&authSource=admin`;
}

/** Resolves with undefined when there is no `mongod.json` yet. @throws Error when the file is damaged */
export async function readConnection(dir: string): Promise<Connection | undefined> {
  const file = join(dir, 'mongod.json');
  try {
    return connectionSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new Error(`${file} cannot be read (${(error as Error).message}). Restore it from a backup.`, {
      cause: error,
    });
  }
}

/** Replaces `mongod.json` atomically. Only the owner can read the file. */
export async function writeConnection(dir: string, connection: Connection): Promise<void> {
  await writePrivateFile(join(dir, 'mongod.json'), `${JSON.stringify(connection, undefined, 2)}\n`);
}

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
    `Another program uses port ${connection.port}; moving MongoDB to port ${moved.port} (takes up to 30 s)`,
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

/**
 * Below the ephemeral port ranges of Linux, macOS and Windows, so that the port is likely to be free at the next start.
 */
const LOWEST_PORT = 20_000;
const HIGHEST_PORT = 32_000;

/** Whether a server can listen on 127.0.0.1:port now. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryToListen(port)) !== undefined;
}

/** @throws Error when no port is free */
export async function chooseFreePort(): Promise<number> {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const port = await tryToListen(randomInt(LOWEST_PORT, HIGHEST_PORT));
    if (port !== undefined) return port;
  }
  const port = await tryToListen(0);
  if (port === undefined) throw new Error('no port on 127.0.0.1 is free');
  return port;
}

function tryToListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
