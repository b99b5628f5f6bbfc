import { chown, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../../src/lib/sha256.js';
import { DataDirInUse, lockDataDir } from '../../../src/platform/mongod/data-dir.js';
import { startChild, type ChildProgram } from '../../support/child.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';

const folder = useTemporaryFolder();
const dataDir = (): string => join(folder(), 'data');

describe('locking a data directory', () => {
  let children: ChildProgram[];
  beforeEach(() => (children = []));
  afterEach(() => Promise.all(children.map((child) => child.kill())));

  function holder(dir = dataDir()): ChildProgram {
    const child = startChild('hold-data-dir.cjs', dir);
    children.push(child);
    return child;
  }

  test('makes it, for its owner only', async () => {
    const lock = await lockDataDir(dataDir());
    expect((await stat(dataDir())).mode & 0o777).toBe(0o700);
    await lock.release();
    await expect(readdir(dataDir())).resolves.toEqual([]);
  });

  test('is refused while another process holds it, naming the directory, the process and what to do', async () => {
    const child = holder();
    await expect(child.line()).resolves.toBe('held');
    const error: unknown = await lockDataDir(dataDir()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DataDirInUse);
    expect((error as Error).message).toBe(
      `The data directory ${dataDir()} is in use by another gateway (process ${child.pid}). ` +
        'Stop that gateway first, or set DATA_DIR to another directory for this one.',
    );
  });

  test('is refused within one process too, and granted after release', async () => {
    const lock = await lockDataDir(dataDir());
    await expect(lockDataDir(dataDir())).rejects.toThrow(DataDirInUse);
    await lock.release();
    await (await lockDataDir(dataDir())).release();
  });

  test('is granted at once after the holder was killed with kill -9', async () => {
    const child = holder();
    await child.line();
    await child.kill();
    await expect(readdir(dataDir())).resolves.toHaveLength(1);
    const lock = await lockDataDir(dataDir());
    await expect(readdir(dataDir())).resolves.toHaveLength(1);
    await lock.release();
  });

  test('is refused while the holder is stopped and answers nothing', async () => {
    const child = holder();
    await child.line();
    process.kill(child.pid, 'SIGSTOP');
    await expect(lockDataDir(dataDir())).rejects.toThrow(`process ${child.pid}`);
  });

  test('goes to exactly one of many that start at once over the remains of a dead one', async () => {
    const dead = holder();
    await dead.line();
    await dead.kill();
    const answers = await Promise.all(Array.from({ length: 8 }, () => holder().line()));
    expect(answers.filter((answer) => answer === 'held')).toHaveLength(1);
    expect(answers.filter((answer) => answer.startsWith('DataDirInUse'))).toHaveLength(7);
  });

  test('works where the path is too long for a socket', async () => {
    const deep = join(folder(), 'x'.repeat(120));
    const child = holder(deep);
    await expect(child.line()).resolves.toBe('held');
    await expect(lockDataDir(deep)).rejects.toThrow(DataDirInUse);
    await child.kill();
    await (await lockDataDir(deep)).release();
  });

  test('where the path is too long for a socket, leaves nothing behind, also of a holder that was killed', async () => {
    const deep = join(folder(), 'x'.repeat(120));
    const before = new Set(await readdir(tmpdir()));
    const child = holder(deep);
    await child.line();
    const [entry = ''] = await readdir(deep);
    const place = dirname(await readFile(join(deep, entry), 'utf8'));
    expect((await stat(place)).mode & 0o777).toBe(0o700);
    await child.kill();
    const lock = await lockDataDir(deep);
    await lock.release();
    await expect(readdir(deep)).resolves.toEqual([]);
    expect(before.has(basename(place))).toBe(false);
    await expect(stat(place)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('is granted over a socket of another user in every place whose name can be computed', async () => {
    const deep = join(folder(), 'x'.repeat(120));
    const name = `pets-gateway-${process.getuid?.() ?? 0}-${sha256(deep).slice(0, 16)}`;
    const place = join(tmpdir(), name);
    await mkdir(place);
    const server = createServer((socket) => socket.end('holds'));
    try {
      await new Promise<void>((resolve) => server.listen(join(place, 'gateway-1-0.sock'), resolve));
      await (await lockDataDir(deep)).release();
      expect(await readdir(place)).toEqual(['gateway-1-0.sock']);
    } finally {
      server.close();
      await rm(place, { recursive: true });
    }
  });

  // Only root can give a folder to another user.
  const asRoot = process.getuid?.() === 0 ? test : test.skip;
  asRoot(
    'is granted if another user has taken the place of a dead holder in the temporary folder',
    async () => {
      const deep = join(folder(), 'x'.repeat(120));
      const child = holder(deep);
      await child.line();
      const [entry = ''] = await readdir(deep);
      const socket = await readFile(join(deep, entry), 'utf8');
      await child.kill();
      await rm(dirname(socket), { recursive: true });
      await mkdir(dirname(socket));
      const server = createServer((client) => client.end('holds'));
      try {
        await new Promise<void>((resolve) => server.listen(socket, resolve));
        await chown(dirname(socket), 65_534, 65_534);
        const lock = await lockDataDir(deep);
        expect((await stat(socket)).isSocket()).toBe(true);
        await expect(lockDataDir(deep)).rejects.toThrow(DataDirInUse);
        await lock.release();
      } finally {
        server.close();
        await rm(dirname(socket), { recursive: true });
      }
    },
  );

  // Linux makes no folders below /proc, and answers as if the parent were missing. macOS has no /proc.
  test.each([
    ['/proc/pets-gateway', /takes no new folders|read-only|no permission/],
    ['/dev/null/pets-gateway', /a part of its path is a file/],
    ['/dev/null', /it is a file, not a folder/],
  ])('says what is wrong with %s, and what to do', async (dir, reason) => {
    const error: unknown = await lockDataDir(dir).catch((thrown: unknown) => thrown);
    const { message } = error as Error;
    expect(message).toContain(`The gateway cannot use the data directory ${dir}: `);
    expect(message).toMatch(reason);
    expect(message).toContain('. Set DATA_DIR to a folder that this user can write to');
  });

  test('makes missing parents, for its owner only, also while another process makes them', async () => {
    const deep = join(dataDir(), 'a', 'b');
    const locks = await Promise.allSettled([lockDataDir(deep), lockDataDir(deep), lockDataDir(deep)]);
    expect(locks.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await stat(dataDir())).mode & 0o777).toBe(0o700);
    for (const lock of locks) if (lock.status === 'fulfilled') await lock.value.release();
  });
});
