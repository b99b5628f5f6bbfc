import { randomBytes } from 'node:crypto';
import {
  access,
  constants,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { writePrivateFile } from './private-file.js';

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
        'Stop that gateway first, or set DATA_DIR to another directory for this one.',
    );
  }
}

/** The limit for the path of a socket is 104 bytes on macOS and 108 on Linux. */
const LONGEST_SOCKET_PATH = 100;
/** Error codes of bind on file systems without sockets, such as some container mounts. */
const NO_SOCKETS_HERE = new Set(['ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EINVAL', 'ENAMETOOLONG']);

/**
 * Creates the directory (mode 0700) if it is missing, and locks it for this process.
 * mongod's own lock on its files is the last guard, for example between hosts that share a volume.
 * @throws DataDirInUse
 */
export async function lockDataDir(dir: string): Promise<DataDirLock> {
  const path = await makeFolder(dir);
  const lock = await takeSocketLock(path);
  if (!lock.taken) throw new DataDirInUse(path, lock.pid);
  return { release: lock.release };
}

const UNWRITABLE: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'this user has no permission to write there'],
  ['EEXIST', 'it is a file, not a folder'],
  ['ENOENT', 'its file system takes no new folders'],
  ['ENOTDIR', 'a part of its path is a file, not a folder'],
  ['EPERM', 'this user has no permission to write there'],
  ['EROFS', 'its file system is read-only'],
]);

/** @throws Error that names the settings to change */
async function makeFolder(dir: string): Promise<string> {
  try {
    await makeWithParents(dir);
    const path = await realpath(dir);
    await access(path, constants.W_OK);
    return path;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = UNWRITABLE.get(code ?? '') ?? message;
    throw new Error(
      `The gateway cannot use the data directory ${dir}: ${reason}. Set DATA_DIR to a folder that this user can ` +
        'write to, for example on a mounted volume. Or set MONGODB_URI to a MongoDB server: then the gateway needs no ' +
        'data directory.',
      { cause: error },
    );
  }
}

/**
 * Node's own `recursive` reports ENOENT on a read-only file system, and never ends where the system reports ENOENT for
 * a folder whose parent exists, as below /proc.
 */
async function makeWithParents(dir: string): Promise<void> {
  try {
    await mkdir(dir, { mode: 0o700 });
    return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && (await stat(dir)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(dir) === dir) throw error;
  }
  await makeWithParents(dirname(dir));
  try {
    await mkdir(dir, { mode: 0o700 });
  } catch (error) {
    // Another process has made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/**
 * A lock between processes, made of Unix domain sockets. Each process listens on its own socket in one folder. The
 * kernel closes the socket when the process dies, even after kill -9, so no stale lock needs manual cleanup.
 *
 * Socket names are never reused. With one shared name, two starting processes that both find a dead socket could each
 * remove it, and the second would remove the live socket of the first. With unique names, a socket that refuses
 * connections belongs to a dead process forever.
 * A process that sees another live socket backs off. Each process listens before it looks, so of two starting processes
 * the later one sees the earlier one. `stat` after looking detects a socket that was removed between its bind and its
 * listen.
 *
 * Where the folder cannot have sockets, an entry is a file with the path of the socket, in a new folder of the temporary
 * directory that only this user can use. Its name is random, so that other users cannot take it first.
 */
type SocketLock = { taken: true; release: () => Promise<void> } | { taken: false; pid: number };

const NAME_PATTERN = /^gateway-(\d+)-[0-9a-f]+\.(?:sock|lock)$/;
const POINTER = '.lock';
const ATTEMPTS = 40;
const ANSWER_TIMEOUT_MS = 1_000;

/** @throws a file system error */
async function takeSocketLock(folder: string): Promise<SocketLock> {
  let lastSeen = process.pid;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const own = await listenIn(folder);
    const other = await findLive(folder, own.name);
    if (other === undefined && (await exists(join(folder, own.name)))) {
      own.state = 'holds';
      return { taken: true, release: () => own.close() };
    }
    await own.close();
    if (other?.state === 'holds') return { taken: false, pid: other.pid };
    // Another process is starting too. Both back off for a random time, so that one of them goes first.
    lastSeen = other?.pid ?? lastSeen;
    await delay(Math.random() * 20 * (attempt + 1));
  }
  return { taken: false, pid: lastSeen };
}

type State = 'tries' | 'holds';

interface OwnSocket {
  /** The name of its entry in the folder. */
  name: string;
  state: State;
  close(): Promise<void>;
}

async function listenIn(folder: string): Promise<OwnSocket> {
  const name = `gateway-${process.pid}-${randomBytes(4).toString('hex')}`;
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(own.state);
  });
  const own: OwnSocket = {
    name,
    state: 'tries',
    async close() {
      server.close();
      await removeEntry(folder, own.name);
    },
  };
  try {
    own.name = await addEntry(server, folder, name);
  } catch (error) {
    server.close();
    throw error;
  }
  server.unref();
  return own;
}

/** Makes the server listen, and then adds its entry to the folder. Returns the name of the entry. */
async function addEntry(server: Server, folder: string, name: string): Promise<string> {
  const socket = join(folder, `${name}.sock`);
  if (canBeSocket(socket))
    try {
      await listen(server, socket);
      return `${name}.sock`;
    } catch (error) {
      if (!NO_SOCKETS_HERE.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  const elsewhere = await newFolderElsewhere();
  await listen(server, socketIn(elsewhere));
  await writePrivateFile(join(folder, name + POINTER), socketIn(elsewhere));
  return name + POINTER;
}

async function removeEntry(folder: string, name: string): Promise<void> {
  const entry = join(folder, name);
  const socket = name.endsWith(POINTER) ? await readPointer(entry) : undefined;
  await rm(entry, { force: true });
  if (socket === undefined) return;
  await rm(socket, { force: true });
  // Empty, unless the entry was not ours.
  await rmdir(dirname(socket)).catch(() => undefined);
}

/** A new folder with mode 0700. */
async function newFolderElsewhere(): Promise<string> {
  const parents = [tmpdir(), '/tmp'];
  const parent = parents.find((path) => canBeSocket(socketIn(join(path, 'pets-gateway-XXXXXX'))));
  return mkdtemp(join(parent ?? tmpdir(), 'pets-gateway-'));
}

function socketIn(folder: string): string {
  return join(folder, 'lock.sock');
}

function canBeSocket(path: string): boolean {
  return Buffer.byteLength(path) <= LONGEST_SOCKET_PATH;
}

/**
 * The path of the socket that an entry names. Undefined if the entry or the folder of the socket is gone, or if the folder
 * belongs to neither this user nor the owner of the entry nor root: another user can take the name once it is free.
 */
async function readPointer(entry: string): Promise<string | undefined> {
  try {
    const socket = await readFile(entry, 'utf8');
    const place = await lstat(dirname(socket));
    const owners = [process.getuid?.() ?? place.uid, (await stat(entry)).uid, 0];
    return place.isDirectory() && owners.includes(place.uid) ? socket : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path }, () => resolve());
  });
}

/** The live socket of another process; prefers a process that holds the lock. Removes the sockets of dead processes. */
async function findLive(folder: string, ownName: string): Promise<{ pid: number; state: State } | undefined> {
  let live: { pid: number; state: State } | undefined;
  for (const name of await readdir(folder)) {
    const pid = NAME_PATTERN.exec(name)?.[1];
    if (pid === undefined || name === ownName) continue;
    const state = await askEntry(join(folder, name));
    if (state === 'dead') await removeEntry(folder, name);
    else if (live?.state !== 'holds') live = { pid: Number(pid), state };
  }
  return live;
}

async function askEntry(entry: string): Promise<State | 'dead'> {
  if (!entry.endsWith(POINTER)) return ask(entry);
  const socket = await readPointer(entry);
  return socket === undefined ? 'dead' : ask(socket);
}

/**
 * Only a refused connection or a missing socket proves that the owner is dead. A stopped or busy owner that does not
 * answer still holds the lock.
 */
function ask(path: string): Promise<State | 'dead'> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect({ path });
    socket.setEncoding('utf8').setTimeout(ANSWER_TIMEOUT_MS, () => socket.destroy());
    socket.on('data', (text: string) => (answer += text));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'ECONNREFUSED' || error.code === 'ENOENT' ? 'dead' : 'holds');
    });
    socket.on('close', () => resolve(answer === 'tries' ? 'tries' : 'holds'));
  });
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** The process that holds the lock, other than this one. */
async function lockHolder(folder: string): Promise<number | undefined> {
  const live = await findLive(folder, '');
  return live?.state === 'holds' && live.pid !== process.pid ? live.pid : undefined;
}

const gatewaySchema = z.object({
  pid: z.number().int().positive(),
  host: z.string(),
  port: z.number().int(),
});

/** Where a gateway listens: the content of `gateway.json` in its data directory. */
export type GatewayAddress = z.infer<typeof gatewaySchema>;

/** Records where the gateway of this process listens. The caller holds the lock of the directory. */
export async function recordGateway(dir: string, address: { host: string; port: number }): Promise<void> {
  const record: GatewayAddress = { pid: process.pid, ...address };
  await writePrivateFile(join(dir, 'gateway.json'), `${JSON.stringify(record, undefined, 2)}\n`);
}

/**
 * The gateway that runs on this data directory in another process. Undefined if there is none, or if it does not serve
 * yet.
 */
export async function findGateway(dir: string): Promise<GatewayAddress | undefined> {
  try {
    const path = await realpath(dir);
    const record = gatewaySchema.parse(JSON.parse(await readFile(join(path, 'gateway.json'), 'utf8')));
    return (await lockHolder(path)) === record.pid ? record : undefined;
  } catch {
    return undefined;
  }
}
