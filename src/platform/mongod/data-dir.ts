import { createHash } from 'node:crypto';
import { mkdir, readFile, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivateFile } from './private-file.js';
import { takeSocketLock, type SocketLock } from './socket-lock.js';

export interface DataDirLock {
  /** Unlocks the directory. The death of the process unlocks it too, even after kill -9. */
  release(): Promise<void>;
}

/** Another running gateway uses this data directory. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse';

  constructor(
    readonly dir: string,
    readonly pid: number,
  ) {
    super(
      `The data directory ${dir} is in use by another gateway (process ${pid}). ` +
        'Stop that one first, or set DATA_DIR to another directory for this one.',
    );
  }
}

/** The limit for the path of a socket is 104 bytes on macOS and 108 on Linux. */
const LONGEST_SOCKET_PATH = 100;
const SOCKET_NAME_LENGTH = 32;
/** Error codes of bind on file systems without sockets, such as some container mounts. */
const NO_SOCKETS_HERE = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL', 'ENAMETOOLONG']);

/**
 * Creates the directory (mode 0700) if it is missing, and locks it for this process.
 * mongod's own lock on its files is the last guard, for example between hosts that share a volume.
 * @throws DataDirInUse
 */
export async function lockDataDir(dir: string): Promise<DataDirLock> {
  const path = await makeFolder(dir);
  const lock = await takeLock(path);
  if (!lock.taken) throw new DataDirInUse(path, lock.pid);
  return { release: lock.release };
}

/** @throws Error that names the setting DATA_DIR */
async function makeFolder(dir: string): Promise<string> {
  try {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    return await realpath(dir);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`The data directory ${dir} cannot be used: ${message}. Set DATA_DIR to another one.`, {
      cause: error,
    });
  }
}

async function takeLock(path: string): Promise<SocketLock> {
  if (Buffer.byteLength(path) + 1 + SOCKET_NAME_LENGTH <= LONGEST_SOCKET_PATH) {
    try {
      return await takeSocketLock(path);
    } catch (error) {
      if (!NO_SOCKETS_HERE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }

  const hash = createHash('sha256').update(path).digest('hex').slice(0, 16);
  const elsewhere = join(tmpdir(), `pets-gateway-${process.getuid?.() ?? 0}-${hash}`);
  await mkdir(elsewhere, { recursive: true, mode: 0o700 });
  return takeSocketLock(elsewhere);
}

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
