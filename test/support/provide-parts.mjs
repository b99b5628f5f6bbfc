import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { goBin, parts } from './parts.mjs';

/**
 * Finds or installs each part that the suite needs; without a suite, those that every run does.
 * @param {string} [suite]
 */
export function provideParts(suite) {
  return provideEach(parts.filter((part) => part.suite === undefined || [part.suite].flat().includes(suite)));
}

/**
 * Finds or installs each of these entries of parts.mjs.
 * @returns {Promise<{ env: Record<string, string>, missing: string[] }>} what to add to the tests' environment, and
 * one line for each part that cannot be had
 */
export async function provideEach(wanted) {
  const env = { PATH: [goBin, process.env.PATH].join(delimiter) };
  const missing = [];
  for (const part of wanted) {
    const outcome = await provide(part, env.PATH);
    if (outcome.path === undefined)
      missing.push(`${part.name} is missing (${outcome.reason}). ${part.byHand}`);
    else if (part.env) env[part.env] = outcome.path;
  }
  return { env, missing };
}

async function provide(part, path) {
  const first = await look(part, path);
  if (first.path !== undefined) return first;
  const refusal = install(part, first.reason);
  if (refusal !== undefined) return { reason: `${first.reason}; ${refusal}` };
  return look(part, path);
}

async function look(part, path) {
  try {
    return { path: part.look ? await part.look(path) : onPath(part.name, path) };
  } catch (error) {
    return { reason: error.message };
  }
}

function onPath(name, path) {
  const found = path
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(isProgram);
  if (found === undefined) throw new Error('not on PATH');
  return found;
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Tries to install; the answer is why that was not done or failed, or undefined. */
function install(part, reason) {
  if (part.aptHelps && !part.aptHelps(reason)) return 'no package brings it';
  if (part.go) return installWithGo(part, reason);
  return installWithApt(part.name, part.apt);
}

function installWithGo({ go: modules, goEnv }, reason) {
  console.log(`${reason}: installing ${modules.join(' ')} with go install, which may take some minutes`);
  const options = { stdio: ['ignore', 2, 2], env: { ...process.env, ...goEnv, GOBIN: goBin } };
  for (const module of modules) {
    if (spawnSync('go', ['install', module], options).status !== 0) return `go install ${module} failed`;
  }
  return undefined;
}

function installWithApt(name, packages) {
  if (process.env.NO_SYSTEM_INSTALL === '1') return 'NO_SYSTEM_INSTALL=1 forbids installing it';
  if (!existsSync('/etc/debian_version')) return 'this is not Debian or Ubuntu';
  if (process.getuid() !== 0) return 'only root can install it';
  console.log(`Installing ${packages.join(' ')} with apt-get for ${name} (NO_SYSTEM_INSTALL=1 forbids this)`);
  const { status } = spawnSync('sh', ['-c', installScript, 'sh', ...packages], { stdio: ['ignore', 2, 2] });
  return status === 0 ? undefined : 'apt-get failed';
}

/**
 * Debian starts a service when its package is installed. Exit status 101 of policy-rc.d forbids that; the shell's
 * trap takes the file away again even when this process is ended in between. An existing policy is left as it is.
 * Another apt-get, such as the system's own upgrade, is waited for.
 */
const installScript = `
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'rm -f "$policy"' EXIT
  trap 'exit 130' INT TERM HUP
  printf '#!/bin/sh\\nexit 101\\n' > "$policy" && chmod 755 "$policy"
fi
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
install() { apt-get -o DPkg::Lock::Timeout=600 install -y --no-install-recommends "$@"; }
install "$@" || { apt-get -o DPkg::Lock::Timeout=600 update && install "$@"; }
`;
