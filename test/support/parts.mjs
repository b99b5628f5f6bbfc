/**
 * The programs that tests use and npm does not bring. A new part is one more entry:
 *   name     as shown to people, and in `parts` of the result
 *   look     async, resolves with the program's path or throws why it is not there; default: `name` on PATH
 *   apt      Debian/Ubuntu packages that bring it
 *   aptHelps whether they would, given why it is not there; default: always
 *   go       module paths for `go install`
 *   goEnv    what its build needs in the environment (optional)
 *   byHand   the one command to tell people when it cannot be had
 *   env      name of the variable that tells tests the path (optional)
 *   suite    the folder of test/ that alone needs it, or several; default: every run does
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const require = createRequire(import.meta.url);
export const cacheDir = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'pets-gateway');
/** Where `go install` puts programs; ahead of the rest of PATH for the tests. */
export const goBin = join(cacheDir, 'bin');

const STEP_CA = 'github.com/smallstep/certificates/cmd/step-ca@v0.30.2';

export const parts = [
  {
    name: 'mongod',
    look: lookForMongod,
    apt: ['libcurl4'],
    aptHelps: (reason) => reason.includes('libcurl'),
    byHand: 'set MONGOD_BINARY to the path of a mongod',
    env: 'MONGOD_BINARY',
  },
  {
    name: 'redis-server',
    apt: ['redis-server'],
    byHand: 'apt-get install -y --no-install-recommends redis-server',
  },
  {
    name: 'knot',
    look: lookForKnot,
    apt: ['knot'],
    byHand: 'apt-get install -y --no-install-recommends knot',
  },
  {
    name: 'openssl',
    apt: ['openssl'],
    byHand: 'apt-get install -y --no-install-recommends openssl',
  },
  {
    name: 'chromium',
    apt: ['chromium', 'fonts-liberation'],
    byHand: 'apt-get install -y --no-install-recommends chromium fonts-liberation',
    env: 'CHROMIUM_BINARY',
  },
  {
    name: 'firefox',
    look: lookForFirefox,
    apt: ['firefox-esr'],
    byHand: 'apt-get install -y --no-install-recommends firefox-esr, or set FIREFOX_BINARY',
    env: 'FIREFOX_BINARY',
    suite: 'dashboard-full',
  },
  {
    name: 'wrk',
    apt: ['wrk'],
    byHand: 'apt-get install -y --no-install-recommends wrk',
  },
  ...[
    ['bsdtar', 'libarchive-tools'],
    ['cpio', 'cpio'],
    ['zip', 'zip'],
    ['python3', 'python3-minimal'],
  ].map(([name, apt]) => ({
    name,
    apt: [apt],
    byHand: `apt-get install -y --no-install-recommends ${apt}`,
    suite: 'thorough',
  })),
  { name: 'pebble', look: lookForPebble, ...goInstall('pebble') },
  { name: 'pebble-challtestsrv', ...goInstall('pebble-challtestsrv') },
  {
    name: 'step-ca',
    go: [STEP_CA],
    // A build with C code needs a library for smart cards.
    goEnv: { CGO_ENABLED: '0' },
    byHand: `CGO_ENABLED=0 GOBIN=${goBin} go install ${STEP_CA}`,
    suite: 'authorities',
  },
  {
    name: 'libfaketime',
    look: lookForFaketime,
    apt: ['libfaketime'],
    byHand: 'apt-get install -y --no-install-recommends libfaketime',
    env: 'FAKETIME_LIBRARY',
    suite: ['faults', 'faults/history'],
  },
  {
    name: 'nginx',
    look: inSystemFolders('nginx'),
    apt: ['nginx-light'],
    byHand: 'apt-get install -y --no-install-recommends nginx-light',
    env: 'NGINX_BINARY',
    suite: ['thorough', 'proxies'],
  },
  ...[
    ['haproxy', 'HAPROXY_BINARY'],
    ['apache2', 'APACHE_BINARY'],
    ['caddy', 'CADDY_BINARY'],
    ['lighttpd', 'LIGHTTPD_BINARY'],
  ].map(([name, env]) => ({
    name,
    look: inSystemFolders(name),
    apt: [name],
    byHand: `apt-get install -y --no-install-recommends ${name}`,
    env,
    suite: 'proxies',
  })),
  ...['prometheus', 'promtool'].map((name) => ({
    name,
    apt: ['prometheus'],
    byHand: 'apt-get install -y --no-install-recommends prometheus',
    suite: 'thorough',
  })),
  {
    name: 'go',
    look: lookForGo,
    apt: ['golang-go'],
    byHand: 'install Go 1.24 or later: https://go.dev/doc/install',
    suite: ['examples', 'generators', 'http-clients'],
  },
  ...[
    ['java', 'openjdk-17-jdk-headless'],
    ['mvn', 'maven'],
  ].map(([name, apt]) => ({
    name,
    apt: [apt],
    byHand: `apt-get install -y --no-install-recommends ${apt}`,
    suite: ['generators', 'http-clients'],
  })),
  {
    name: 'cargo',
    byHand: 'install Rust 1.85 or later: https://rustup.rs',
    suite: ['generators', 'http-clients'],
  },
  ...['curl', 'wget'].map((name) => ({
    name,
    apt: [name],
    byHand: `apt-get install -y --no-install-recommends ${name}`,
    suite: 'examples',
  })),
  {
    name: 'docker',
    look: lookForDocker,
    apt: ['docker.io', 'iptables', 'iproute2'],
    byHand: 'install Docker, and start it or be root',
    suite: 'containers',
  },
  {
    name: 'debootstrap',
    look: lookForDebootstrap,
    apt: ['debootstrap'],
    byHand: 'apt-get install -y --no-install-recommends debootstrap',
    suite: 'containers',
  },
  {
    name: 'python3 with venv',
    look: lookForPython,
    apt: ['python3', 'python3-venv'],
    byHand: 'apt-get install -y --no-install-recommends python3 python3-venv, of Python 3.11 or later',
    suite: ['examples', 'generators'],
  },
];

function goInstall(command) {
  const module = `github.com/letsencrypt/pebble/v2/cmd/${command}@v2.10.1`;
  return { go: [module], byHand: `GOBIN=${goBin} go install ${module}` };
}

/** Distributions have older ones, which have no option for the DNS server; other programs have the same name. */
async function lookForPebble(path) {
  const found = await findOnPath('pebble', path);
  const { stdout, stderr } = spawnSync(found, ['-help'], { encoding: 'utf8' });
  if (!/-dnsserver\b/.test(`${stdout}${stderr}`)) throw new Error(`${found} has no option -dnsserver`);
  return found;
}

async function lookForMongod(path) {
  const { provideMongod } = require('../../dist/platform/mongod/mongod-binary.js');
  const given = process.env.MONGOD_BINARY || undefined;
  return provideMongod({ ...(given && { given }), cacheDir, path, progress: (line) => console.log(line) });
}

/** The DNS server and its control program. */
async function lookForKnot(path) {
  await inSystemFolders('knotc')(path);
  return inSystemFolders('knotd')(path);
}

/** Debian keeps some programs where only root's PATH leads. */
function inSystemFolders(name) {
  return (path) => findOnPath(name, [path, '/usr/sbin'].join(delimiter));
}

async function findOnPath(name, path) {
  const { findProgram } = require('../../dist/platform/mongod/find-program.js');
  const found = await findProgram(name, path);
  if (found === undefined) throw new Error(`${name} is not on PATH`);
  return found;
}

/** Debian names its package, and the program, after the release with extended support. */
async function lookForFirefox(path) {
  if (process.env.FIREFOX_BINARY) return process.env.FIREFOX_BINARY;
  return findOnPath('firefox-esr', path).catch(() => findOnPath('firefox', path));
}

/** Since 1.21, Go downloads the newer version that a go.mod asks for. */
async function lookForGo(path) {
  const found = await findOnPath('go', path);
  const { stdout } = spawnSync(found, ['version'], { encoding: 'utf8' });
  const minor = Number(/\bgo1\.(\d+)/.exec(stdout)?.[1]);
  if (!(minor >= 21)) throw new Error(`${found} is too old: ${stdout.trim()}`);
  return found;
}

/** The generated client requires Python 3.11. */
async function lookForPython(path) {
  const found = await findOnPath('python3', path);
  const script = 'import ensurepip, sys, venv; assert sys.version_info >= (3, 11), sys.version';
  const { status, stderr } = spawnSync(found, ['-c', script], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${found} does not suffice: ${stderr.trim().split('\n').at(-1)}`);
  return found;
}

/** A Docker that runs, or one that root can start. */
async function lookForDocker(path) {
  const found = await findOnPath('docker', path);
  if (isDockerRunning(found)) return found;
  await inSystemFolders('dockerd')(path);
  if (process.getuid() !== 0) throw new Error('Docker does not run, and only root can start it');
  return found;
}

/** Puts images together where Docker cannot pull them. */
async function lookForDebootstrap(path) {
  const docker = await findOnPath('docker', path);
  const canPull = spawnSync(docker, ['manifest', 'inspect', 'node'], { stdio: 'ignore' }).status === 0;
  return isDockerRunning(docker) && canPull ? docker : inSystemFolders('debootstrap')(path);
}

function isDockerRunning(docker) {
  return spawnSync(docker, ['info'], { stdio: 'ignore' }).status === 0;
}

/** A library, not a program: Debian keeps it in a folder named after the processor. */
function lookForFaketime() {
  const triplet = { x64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' }[process.arch];
  const library = `/usr/lib/${triplet}/faketime/libfaketime.so.1`;
  if (!existsSync(library)) throw new Error(`${library} is not there`);
  return library;
}
