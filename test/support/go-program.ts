import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { mustRun } from './run-program.js';

/** Where programs that npm does not bring are kept from one run to the next. */
export const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'pets-gateway');

/**
 * The path of a program that `go install` brings.
 * @param name of its folder in the cache
 * @param program when it is not called like that
 */
export async function goProgram(
  name: string,
  module: string,
  version: string,
  program = name,
): Promise<string> {
  const folder = join(CACHE, `${name}-${version}`);
  const path = join(folder, program);
  if (existsSync(path)) return path;
  await needs('go', ['version'], 'apt-get install -y golang-go');
  await mustRun('go', ['install', `${module}@${version}`], { env: { GOBIN: folder } });
  return path;
}

/** @throws Error with the one command that brings the program, when it does not run */
export async function needs(program: string, args: readonly string[], command: string): Promise<void> {
  try {
    await mustRun(program, args);
  } catch (error) {
    throw new Error(`${program} is missing: ${command}`, { cause: error });
  }
}
