import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CACHE } from '../support/go-program.js';
import { mustRun, runProgram, type RunOptions } from '../support/run-program.js';
import { tied } from '../support/tied-command.js';
import { until } from '../support/until.js';

export interface Docker {
  /** Runs `docker` with these arguments. @returns what it printed @throws Error with all that it printed */
  run: (args: readonly string[], options?: RunOptions) => Promise<string>;
  close: () => Promise<void>;
}

const PLUGINS = ['docker-compose', 'docker-buildx'];
const MAX_BUILD_MS = 1_200_000;

/** What a Docker of its own keeps of earlier builds. */
const KEPT_CACHE = '4GB';

/**
 * The Docker of this machine if one is running. Otherwise one of its own, which ends with this process. It keeps images
 * and what a build can use again in the user's cache, and nothing else.
 */
export async function startDocker(): Promise<Docker> {
  const env = await pluginsEnv();
  if ((await runProgram('docker', ['info'])).code === 0)
    return { run: runWith(env), close: () => Promise.resolve() };
  const data = join(CACHE, 'docker');
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-docker-'));
  const [program, args] = tied('dockerd', [
    ...['--data-root', data, '--exec-root', join(folder, 'exec')],
    ...['--host', `unix://${folder}/docker.sock`, '--pidfile', join(folder, 'dockerd.pid')],
    ...['--bip', '10.99.0.1/24', '--default-address-pool', 'base=10.99.128.0/17,size=24'],
    ...['--oom-score-adjust', '0'],
  ]);
  const daemon = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  daemon.stderr.on('data', (chunk: Buffer) => (log = (log + chunk.toString()).slice(-4000)));
  const ended = once(daemon, 'exit');
  env['DOCKER_HOST'] = `unix://${folder}/docker.sock`;
  const run = runWith(env);

  /** What a run leaves that did not end by itself. */
  async function removeLeftovers() {
    for (const [kind, list] of [
      ['container', ['--all', '--quiet']],
      ['volume', ['--quiet']],
    ] as const) {
      const names = (await run([kind, 'ls', ...list])).split('\n').filter(Boolean);
      if (names.length > 0) await run([kind, 'rm', '--force', ...names]);
    }
    await run(['network', 'prune', '--force']);
  }

  async function close() {
    if (daemon.exitCode === null)
      await run(['builder', 'prune', '--force', '--keep-storage', KEPT_CACHE]).catch(console.error);
    daemon.kill('SIGTERM');
    await ended;
    const mounts = (await readFile('/proc/self/mounts', 'utf8'))
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '')
      .filter((path) => path.startsWith(`${folder}/`) || path.startsWith(`${data}/`));
    for (const path of mounts.toReversed()) await runProgram('umount', ['--lazy', path]);
    await runProgram('ip', ['link', 'delete', 'docker0']);
    await rm(folder, { recursive: true, force: true });
  }

  try {
    await until('a Docker of its own', async () => {
      if (daemon.exitCode !== null) throw new Error(`dockerd ended:\n${log}`);
      return (await runProgram('docker', ['info'], { env })).code === 0;
    });
    await removeLeftovers();
  } catch (error) {
    await close();
    throw error;
  }
  return { run, close };
}

const runWith =
  (env: Record<string, string>): Docker['run'] =>
  (args, options = {}) =>
    mustRun('docker', args, { timeoutMs: MAX_BUILD_MS, ...options, env: { ...env, ...options.env } });

/** Compose and BuildKit, from Debian's next release where this machine has none: older ones have no Compose 2.24. */
async function pluginsEnv(): Promise<Record<string, string>> {
  const isThere = async (env: Record<string, string>) => {
    const compose = await runProgram('docker', ['compose', 'version', '--short'], { env });
    const buildx = await runProgram('docker', ['buildx', 'version'], { env });
    const [major = 0, minor = 0] = compose.output.replace(/^v/, '').split('.').map(Number);
    return compose.code === 0 && buildx.code === 0 && (major > 2 || minor >= 24);
  };
  if (await isThere({})) return {};
  const folder = join(CACHE, 'docker-plugins');
  const env = { DOCKER_CONFIG: folder };
  if (await isThere(env)) return env;
  await mkdir(join(folder, 'cli-plugins'), { recursive: true });
  await mustRun('sh', ['-c', DOWNLOAD, 'sh', join(folder, 'cli-plugins'), ...PLUGINS]);
  if (!(await isThere(env))) throw new Error('Docker has no Compose 2.24: install docker-compose-plugin');
  return env;
}

/** Uses none of the system's lists of packages, and changes none. */
const DOWNLOAD = `
set -eu
target=$1; shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir -p lists/partial cache/archives/partial
echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian forky main' > sources.list
touch status
apt() {
  apt-get -qq -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=- -o Dir::State::Lists="$folder/lists" \\
    -o Dir::Cache="$folder/cache" -o Dir::State::status="$folder/status" -o APT::Sandbox::User=root \\
    -o Acquire::Check-Valid-Until=false "$@"
}
apt update
apt download "$@"
for package in *.deb; do dpkg-deb --extract "$package" .; done
cp usr/libexec/docker/cli-plugins/* "$target/"
`;
