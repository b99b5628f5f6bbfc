import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

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

/** Install instructions exist only for libcurl, which a bare Debian or Ubuntu lacks. Empty for other libraries. */
function howToInstall(library: string): string {
  return library.startsWith('libcurl.so') ? ' (Debian, Ubuntu: apt-get install libcurl4)' : '';
}
