import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  readConnection,
  writeConnection,
  type Connection,
} from '../../../src/platform/mongod/mongod-connection.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';

const folder = useTemporaryFolder();
const dataDir = (): string => join(folder(), 'data');

describe('the connection file', () => {
  const connection: Connection = { port: 27000, pid: 42, user: 'u', password: 'p', setup: 'done' };

  test('is readable by its owner only and read back as written', async () => {
    await mkdir(dataDir());
    await expect(readConnection(dataDir())).resolves.toBeUndefined();
    await writeConnection(dataDir(), connection);
    expect((await stat(join(dataDir(), 'mongod.json'))).mode & 0o777).toBe(0o600);
    await expect(readConnection(dataDir())).resolves.toEqual(connection);
  });

  test('that is damaged is an error that names the file', async () => {
    await mkdir(dataDir());
    await writeFile(join(dataDir(), 'mongod.json'), '{"port": 1');
    await expect(readConnection(dataDir())).rejects.toThrow(
      `${join(dataDir(), 'mongod.json')} cannot be read`,
    );
  });
});
