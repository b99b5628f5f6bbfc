import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);
const TIMEOUT_MS = 20_000;

/**
 * Runs `mongod --version` and resolves with the version, for example `8.0.4`.
 * A file that exists but cannot run here (another architecture, a missing library) must not count as found.
 * @throws Error whose message is a reason fit to show to a person.
 */
export async function mongodVersion(binary: string): Promise<string> {
  const output = await versionOutput(binary);
  const version = /^db version v(\S+)/m.exec(output)?.[1];
  if (version === undefined) throw new Error(`${binary} does not answer --version as mongod does`);
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
  if (code === 'ENOENT') return 'does not exist, or the loader it was built for is not on this system';
  if (code === 'EACCES') return 'is not an executable file';
  if (code === 'ENOEXEC') return 'is not a program for this processor';
  const library = /: ([^\s:]+): cannot open shared object file/.exec(stderr)?.[1];
  if (library !== undefined)
    return `needs the library ${library}, which is not installed${howToInstall(library)}`;
  const detail = stderr.trim().split('\n').at(-1) ?? '';
  return `does not run: ${detail === '' ? (error as Error).message : detail}`;
}

/** Only the library that a bare Debian or Ubuntu lacks has a known remedy; any other is just named. */
function howToInstall(library: string): string {
  return library.startsWith('libcurl.so') ? ' (Debian, Ubuntu: apt-get install libcurl4)' : '';
}
