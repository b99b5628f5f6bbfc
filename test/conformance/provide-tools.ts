import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { mustRun } from './run-program.js';

/** Where programs that npm does not bring are kept from one run to the next. */
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'pets-gateway');

const SCHEMATHESIS = '4.32.5';

/** The path of schemathesis, from PyPI in an environment of its own. */
export async function schemathesis(): Promise<string> {
  const venv = join(CACHE, `schemathesis-${SCHEMATHESIS}`);
  const program = join(venv, 'bin', 'schemathesis');
  if (existsSync(program)) return program;
  await needs('python3', ['-c', 'import ensurepip, venv'], 'apt-get install -y python3-venv');
  await rm(venv, { recursive: true, force: true });
  await mkdir(CACHE, { recursive: true });
  await mustRun('python3', ['-m', 'venv', venv]);
  try {
    await mustRun(join(venv, 'bin', 'pip'), ['install', '--quiet', `schemathesis==${SCHEMATHESIS}`]);
  } catch (error) {
    await rm(venv, { recursive: true, force: true });
    throw error;
  }
  return program;
}

/** The path of a program that `go install` brings. */
export async function goProgram(name: string, module: string, version: string): Promise<string> {
  const folder = join(CACHE, `${name}-${version}`);
  const program = join(folder, name);
  if (existsSync(program)) return program;
  await needs('go', ['version'], 'apt-get install -y golang-go');
  await mustRun('go', ['install', `${module}@${version}`], { env: { GOBIN: folder } });
  return program;
}

/** The path of an artifact of Maven Central. */
export async function mavenJar(group: string, name: string, version: string): Promise<string> {
  const file = `${name}-${version}.jar`;
  const path = join(CACHE, file);
  if (existsSync(path)) return path;
  await needs(
    'mvn',
    ['--version'],
    'apt-get install -y --no-install-recommends maven openjdk-17-jdk-headless',
  );
  await mkdir(CACHE, { recursive: true });
  const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
  const part = `${CACHE}/part-${process.pid}`;
  await mustRun('mvn', [
    '--batch-mode',
    '--quiet',
    goal,
    `-Dartifact=${group}:${name}:${version}`,
    `-DoutputDirectory=${part}`,
  ]);
  await rename(join(part, file), path);
  await rm(part, { recursive: true });
  return path;
}

/**
 * The node_modules folder of packages that are too heavy for devDependencies.
 * @param packages names and their exact versions
 */
export async function npmPackages(
  name: string,
  packages: Record<string, string>,
  overrides: Record<string, string> = {},
): Promise<string> {
  const manifest = JSON.stringify({ private: true, dependencies: packages, overrides });
  const hash = createHash('sha256').update(manifest).digest('hex').slice(0, 8);
  const folder = join(CACHE, `${name}-${hash}`);
  const modules = join(folder, 'node_modules');
  if (existsSync(modules)) return modules;
  const part = `${folder}.part-${process.pid}`;
  await mkdir(part, { recursive: true });
  try {
    await writeFile(join(part, 'package.json'), manifest);
    await mustRun('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: part });
    await rename(part, folder);
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  return modules;
}

/** @throws Error with the one command that brings the program, when it does not run */
export async function needs(program: string, args: readonly string[], command: string): Promise<void> {
  try {
    await mustRun(program, args);
  } catch (error) {
    throw new Error(`${program} is missing: ${command}`, { cause: error });
  }
}
