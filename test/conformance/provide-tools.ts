import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CACHE, needs } from '../support/go-program.js';
import { mustRun } from '../support/run-program.js';

/** A folder of the cache, filled on first use. Runs at the same time each fill one; the first to be ready stays. */
async function cached(name: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(CACHE, name);
  if (existsSync(folder)) return folder;
  const part = `${folder}.part-${process.pid}`;
  await mkdir(part, { recursive: true });
  try {
    await fill(part);
    await rename(part, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(part, { recursive: true, force: true });
  }
  return folder;
}

/** The Python of an environment of its own that has one program. Scripts of it name a folder that was renamed: use -m. */
async function pythonWith(program: string, version: string): Promise<string> {
  const venv = await cached(`${program}-${version}-venv`, async (folder) => {
    await needs('python3', ['-c', 'import ensurepip, venv'], 'apt-get install -y python3-venv');
    await mustRun('python3', ['-m', 'venv', folder]);
    const install = ['-m', 'pip', 'install', '--quiet', `${program}==${version}`];
    await mustRun(join(folder, 'bin/python'), install);
  });
  return join(venv, 'bin/python');
}

/** How to run schemathesis: the program and its first arguments. */
export async function schemathesis(): Promise<[string, ...string[]]> {
  const run = 'from schemathesis.cli import schemathesis; schemathesis()';
  return [await pythonWith('schemathesis', '4.32.5'), '-c', run];
}

/** A Python that has the module openapi_python_client, and what the clients that it makes import. */
export function openapiPythonClient(): Promise<string> {
  return pythonWith('openapi-python-client', '0.29.1');
}

/** The path of an artifact of Maven Central. */
export async function mavenJar(group: string, name: string, version: string): Promise<string> {
  const folder = await cached(`${name}-${version}`, async (part) => {
    await needs(
      'mvn',
      ['--version'],
      'apt-get install -y --no-install-recommends maven openjdk-17-jdk-headless',
    );
    const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
    const options = [`-Dartifact=${group}:${name}:${version}`, `-DoutputDirectory=${part}`];
    await mustRun('mvn', ['--batch-mode', '--quiet', goal, ...options]);
  });
  return join(folder, `${name}-${version}.jar`);
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
  const folder = await cached(`${name}-${hash}`, async (part) => {
    await writeFile(join(part, 'package.json'), manifest);
    await mustRun('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: part });
  });
  return join(folder, 'node_modules');
}
